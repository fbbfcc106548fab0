; JavaScript's own spelling of what TypeScript spells otherwise.
(class_heritage (identifier) @reference.inherit)
(class_heritage (member_expression property: (_) @reference.inherit))
(class_heritage (call_expression arguments: (arguments (identifier) @reference.inherit)))
(field_definition property: (_) @name) @definition.field
(field_definition property: (_) @name value: (arrow_function body: (_) @body)) @definition.method
