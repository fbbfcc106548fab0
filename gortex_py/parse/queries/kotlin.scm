; Definitions. `object` and `companion object Name` are classes with one instance.
(class_declaration "class" name: (identifier) @name (enum_class_body) @body) @definition.enum
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @definition.interface
(class_declaration "class" name: (identifier) @name (class_body)? @body) @definition.class
(object_declaration name: (identifier) @name (class_body)? @body) @definition.class
(companion_object name: (identifier) @name (class_body)? @body) @definition.class
(function_declaration name: (identifier) @name (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name (block)? @body) @definition.constructor
(property_declaration (variable_declaration . (identifier) @name)) @definition.property
(class_parameter ["val" "var"] (identifier) @name) @definition.property
(enum_entry . (identifier) @name) @definition.constant
(type_alias type: (identifier) @name) @definition.type

; An extension belongs to the type that it extends.
(function_declaration (user_type . (identifier) @scope) . name: (identifier) @name) @definition.function
(property_declaration (user_type . (identifier) @scope) . (variable_declaration . (identifier) @name)) @definition.property

(annotation) @attribute
[(line_comment) (block_comment)] @comment

; References
(import (qualified_identifier) @reference.import)
(call_expression . (identifier) @reference.call)
(call_expression . (navigation_expression (identifier) @reference.call .))
(delegation_specifier (user_type (identifier) @reference.inherit))
(delegation_specifier (constructor_invocation (user_type (identifier) @reference.inherit)))
(user_type (identifier) @reference.use)
; The grammar reads an annotated `annotation class Name` as an infix call.
((infix_expression . (identifier) @_annotation . (identifier) @_class . (identifier) @name .) @definition.class
  (#eq? @_annotation "annotation")
  (#eq? @_class "class"))
