; Definitions
(namespace_definition name: (namespace_name) @name body: (_)? @body) @definition.namespace
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.trait
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(function_definition name: (name) @name body: (_) @body) @definition.function
(method_declaration name: (name) @name body: (_)? @body) @definition.method
(const_declaration (const_element . (name) @name)) @definition.constant
(enum_case name: (name) @name) @definition.constant
(property_declaration (property_element name: (variable_name (name) @name))) @definition.property
((function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string) @name))) @definition.constant
  (#eq? @_define "define"))

(attribute_list) @attribute
(comment) @comment

; References
(function_call_expression function: [(name) (qualified_name)] @reference.call)
(member_call_expression name: (name) @reference.call)
(nullsafe_member_call_expression name: (name) @reference.call)
(scoped_call_expression name: (name) @reference.call)
(object_creation_expression [(name) (qualified_name)] @reference.call)
(attribute [(name) (qualified_name)] @reference.use)

(namespace_use_clause [(qualified_name) (name)] @reference.import)

(base_clause [(name) (qualified_name)] @reference.inherit)
(class_interface_clause [(name) (qualified_name)] @reference.inherit)
(use_declaration [(name) (qualified_name)] @reference.inherit)

(named_type [(name) (qualified_name)] @reference.use)
(scoped_call_expression scope: [(name) (qualified_name)] @reference.use)
(class_constant_access_expression . [(name) (qualified_name)] @reference.use)
