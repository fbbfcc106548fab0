; What TypeScript and TSX have beyond the patterns they share with JavaScript.
(abstract_class_declaration name: (_) @name body: (class_body) @body) @definition.class
(interface_declaration name: (type_identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (enum_body) @body) @definition.enum
(type_alias_declaration name: (type_identifier) @name) @definition.type
(internal_module name: (_) @name body: (statement_block) @body) @definition.namespace
(module name: (_) @name body: (statement_block) @body) @definition.module
(expression_statement (internal_module)) @wrapper
(ambient_declaration) @wrapper

; Declarations without a body
(function_signature name: (identifier) @name) @definition.prototype
(class_body (method_signature name: (_) @name) @definition.prototype)
(class_body (abstract_method_signature name: (_) @name) @definition.method)
(interface_body (method_signature name: (_) @name) @definition.method)
(object_type (method_signature name: (_) @name) @definition.method)
(interface_body (property_signature name: (_) @name) @definition.property)

(public_field_definition name: (_) @name) @definition.field
(public_field_definition name: (_) @name value: (arrow_function body: (_) @body)) @definition.method

; Names that a namespace binds
(internal_module
  body: (statement_block
    (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable))
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)

; References
(extends_clause value: (identifier) @reference.inherit)
(extends_clause value: (member_expression property: (_) @reference.inherit))
(extends_clause value: (call_expression arguments: (arguments (identifier) @reference.inherit)))
(extends_type_clause type: (type_identifier) @reference.inherit)
(extends_type_clause type: (generic_type name: (type_identifier) @reference.inherit))
(extends_type_clause type: (nested_type_identifier name: (type_identifier) @reference.inherit))
(extends_type_clause
  type: (generic_type name: (nested_type_identifier name: (type_identifier) @reference.inherit)))
(implements_clause (type_identifier) @reference.inherit)
(implements_clause (generic_type name: (type_identifier) @reference.inherit))
(type_annotation (type_identifier) @reference.use)
(type_annotation (generic_type name: (type_identifier) @reference.use))
(type_arguments (type_identifier) @reference.use)
(union_type (type_identifier) @reference.use)
(array_type (type_identifier) @reference.use)
