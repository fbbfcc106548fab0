; Definitions
(function_declaration name: (identifier) @name body: (block) @body) @definition.function

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (pointer_type (type_identifier) @scope)
        (generic_type type: (type_identifier) @scope)
        (pointer_type (generic_type type: (type_identifier) @scope))
      ]))
  name: (field_identifier) @name
  body: (block) @body) @definition.method

; A declaration of one type is the `type` line and all; in a group each type stands for itself.
(type_declaration . (type_spec name: (type_identifier) @name type: (struct_type (_) @body)) .) @definition.struct
(type_declaration . (type_spec name: (type_identifier) @name type: (interface_type)) .) @definition.interface
(type_declaration . (type_spec name: (type_identifier) @name) .) @definition.type
(type_declaration . (type_alias name: (type_identifier) @name) .) @definition.type
(type_spec name: (type_identifier) @name type: (struct_type (_) @body)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type

(field_declaration name: (field_identifier) @name) @definition.field
(interface_type (method_elem name: (field_identifier) @name) @definition.method)

(source_file (const_declaration . (const_spec name: (identifier) @name) .) @definition.constant)
(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration . (var_spec name: (identifier) @name) .) @definition.variable)
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable)))

(comment) @comment

; References
(call_expression function: (identifier) @reference.call)
(call_expression function: (selector_expression field: (field_identifier) @reference.call))
(import_spec path: (_) @reference.import)
(composite_literal type: (type_identifier) @reference.use)
(composite_literal type: (qualified_type name: (type_identifier) @reference.use))
(parameter_declaration type: (type_identifier) @reference.use)
(parameter_declaration type: (qualified_type name: (type_identifier) @reference.use))
(pointer_type (type_identifier) @reference.use)
(pointer_type (qualified_type name: (type_identifier) @reference.use))
(field_declaration !name type: (type_identifier) @reference.inherit)
(field_declaration !name type: (qualified_type name: (type_identifier) @reference.inherit))
(interface_type (type_elem (type_identifier) @reference.inherit))
(interface_type (type_elem (qualified_type name: (type_identifier) @reference.inherit)))
