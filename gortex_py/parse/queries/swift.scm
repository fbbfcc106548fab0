; Definitions. An extension is a type of the name it extends, so its members are named by it.
(class_declaration declaration_kind: "class" name: (_) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "actor" name: (_) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "struct" name: (_) @name body: (_) @body) @definition.struct
(class_declaration declaration_kind: "enum" name: (_) @name body: (_) @body) @definition.enum
(class_declaration declaration_kind: "extension" name: (_) @name body: (_) @body) @definition.type
(protocol_declaration name: (_) @name body: (_) @body) @definition.interface
(function_declaration
  name: [
    (simple_identifier) (custom_operator) (bang)
    "==" "!=" "===" "!==" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "++" "--"
  ] @name
  body: (_)? @body) @definition.function
(protocol_function_declaration
  name: [(simple_identifier) (custom_operator) (bang) "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%"] @name) @definition.function
(init_declaration "init" @name body: (_)? @body) @definition.constructor
(deinit_declaration "deinit" @name body: (_)? @body) @definition.method
(subscript_declaration "subscript" @name (computed_property)? @body) @definition.method
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_)? @body) @definition.property
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property
(enum_entry name: (simple_identifier) @name) @definition.constant
(typealias_declaration . (modifiers)? . name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(macro_declaration (simple_identifier) @name) @definition.macro

(attribute) @attribute
[(comment) (multiline_comment)] @comment

; References
(import_declaration (identifier) @reference.import)
(call_expression . (simple_identifier) @reference.call)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @reference.call)))
(inheritance_specifier inherits_from: (user_type (type_identifier) @reference.inherit))
(user_type (type_identifier) @reference.use)
(navigation_expression target: (simple_identifier) @reference.use (#match? @reference.use "^[A-Z]"))
