; Definitions. An object is a class with one instance; fields of functions are dropped later.
(trait_definition name: (_) @name body: (_)? @body) @definition.trait
(class_definition name: (_) @name body: (_)? @body) @definition.class
(object_definition name: (_) @name body: (_)? @body) @definition.class
(enum_definition name: (_) @name body: (_)? @body) @definition.enum
(package_object name: (_) @name body: (_)? @body) @definition.class
(function_definition name: (_) @name body: (_)? @body) @definition.function
(function_declaration name: (_) @name) @definition.function
(val_definition pattern: (identifier) @name) @definition.variable
(val_definition pattern: (tuple_pattern (identifier) @name)) @definition.variable
(var_definition pattern: (identifier) @name) @definition.variable
(val_declaration name: (_) @name) @definition.variable
(var_declaration name: (_) @name) @definition.variable
(given_definition name: (_) @name) @definition.variable
(given_definition !name return_type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @definition.variable
(type_definition name: (_) @name) @definition.type
(simple_enum_case name: (_) @name) @definition.constant
(full_enum_case name: (_) @name) @definition.constant

; An extension belongs to the type that it extends.
(extension_definition
  parameters: (parameters (parameter type: [(type_identifier) @scope (generic_type type: (type_identifier) @scope)]))
  body: (function_definition name: (_) @name) @definition.function)

(annotation) @attribute
[(comment) (block_comment)] @comment

; References
(import_declaration path: (_) @reference.import . (namespace_wildcard))
(import_declaration path: (_) @reference.import .)
(import_declaration (namespace_selectors (identifier) @reference.import))
(import_declaration (namespace_selectors (arrow_renamed_identifier name: (_) @reference.import)))
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (identifier) @reference.call))
(call_expression function: (generic_function function: (identifier) @reference.call))
(call_expression function: (generic_function function: (field_expression field: (identifier) @reference.call)))
(instance_expression [(type_identifier) @reference.call (generic_type type: (type_identifier) @reference.call)])
(extends_clause (type_identifier) @reference.inherit)
(extends_clause (generic_type type: (type_identifier) @reference.inherit))
(type_identifier) @reference.use
