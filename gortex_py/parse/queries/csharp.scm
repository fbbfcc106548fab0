; Definitions
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name body: (_) @body) @definition.struct
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.constant
(delegate_declaration name: (identifier) @name) @definition.type
(namespace_declaration name: (_) @name body: (_) @body) @definition.namespace
(method_declaration name: (identifier) @name body: (_) @body) @definition.method
(method_declaration name: (identifier) @name) @definition.method
(local_function_statement name: (identifier) @name body: (_) @body) @definition.function
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor
(property_declaration name: (identifier) @name accessors: (_) @body) @definition.property
(property_declaration name: (identifier) @name value: (_) @body) @definition.property
(event_declaration name: (identifier) @name) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.variable

(attribute_list) @attribute
(comment) @comment

; References
(invocation_expression function: (identifier) @reference.call)
(invocation_expression function: (generic_name (identifier) @reference.call))
(invocation_expression function: (member_access_expression name: (identifier) @reference.call))
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @reference.call)))
(invocation_expression
  function: (conditional_access_expression (member_binding_expression name: (identifier) @reference.call)))
(object_creation_expression type: (identifier) @reference.call)
(object_creation_expression type: (generic_name (identifier) @reference.call))
(object_creation_expression type: (qualified_name name: (identifier) @reference.call))
(using_directive (qualified_name) @reference.import)
(using_directive (identifier) @reference.import)
(base_list (identifier) @reference.inherit)
(base_list (generic_name (identifier) @reference.inherit))
(base_list (qualified_name name: (identifier) @reference.inherit))
(parameter type: (identifier) @reference.use)
(parameter type: (generic_name (identifier) @reference.use))
(variable_declaration type: (identifier) @reference.use)
(variable_declaration type: (generic_name (identifier) @reference.use))
(property_declaration type: (identifier) @reference.use)
(property_declaration type: (generic_name (identifier) @reference.use))
(method_declaration returns: (identifier) @reference.use)
(method_declaration returns: (generic_name (identifier) @reference.use))
(type_argument_list (identifier) @reference.use)
(attribute name: (identifier) @reference.use)
