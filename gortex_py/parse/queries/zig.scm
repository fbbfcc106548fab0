; Definitions
(variable_declaration . (identifier) @name [(struct_declaration) (opaque_declaration)] @body) @definition.struct
(variable_declaration . (identifier) @name (enum_declaration) @body) @definition.enum
(variable_declaration . (identifier) @name (union_declaration) @body) @definition.struct
(variable_declaration . (identifier) @name (error_set_declaration) @body) @definition.enum
(function_declaration name: (identifier) @name body: (_)? @body) @definition.function
(test_declaration [(string) (identifier)] @name (block) @body) @definition.function
(container_field name: (identifier) @name) @definition.field
; A name for what another file defines is no definition; `const Name = @This()` names the file's own struct.
((source_file (variable_declaration . (identifier) @name (builtin_function) @_this .) @definition.struct)
  (#eq? @_this "@This()")
  (#not-eq? @name "Self"))
(([(source_file (variable_declaration . (identifier) @name (_) @_value .) @definition.variable)
   (struct_declaration (variable_declaration . (identifier) @name (_) @_value .) @definition.variable)
   (enum_declaration (variable_declaration . (identifier) @name (_) @_value .) @definition.variable)
   (union_declaration (variable_declaration . (identifier) @name (_) @_value .) @definition.variable)])
  (#not-match? @_value "^@import\\b|^@This\\b|^(?!true$|false$|null$|undefined$)[A-Za-z_][\\w.]*$"))

(comment) @comment

; References
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression member: (identifier) @reference.call))
((builtin_function (builtin_identifier) @_import (arguments (string) @reference.import))
  (#any-of? @_import "@import" "@cImport" "@embedFile"))
(parameter type: (identifier) @reference.use)
(parameter type: (field_expression member: (identifier) @reference.use))
(parameter type: (pointer_type (identifier) @reference.use))
(container_field type: (identifier) @reference.use)
(container_field type: (field_expression member: (identifier) @reference.use))
(error_union_type ok: (identifier) @reference.use)
