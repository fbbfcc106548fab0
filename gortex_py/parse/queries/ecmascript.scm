; Shared by JavaScript, TypeScript and TSX: names of classes and types are matched by position,
; because the grammars call them differently.

; Definitions
(class_declaration name: (_) @name body: (class_body) @body) @definition.class
(function_declaration name: (identifier) @name body: (statement_block) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (statement_block) @body) @definition.function
(method_definition name: (_) @name body: (statement_block) @body) @definition.method

(export_statement) @wrapper
(decorator) @attribute

; Functions and classes that a variable, a property or an object holds
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @definition.function

(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @definition.function

(lexical_declaration
  (variable_declarator name: (identifier) @name value: (class body: (class_body) @body))) @definition.class

(variable_declaration
  (variable_declarator name: (identifier) @name value: (class body: (class_body) @body))) @definition.class

(expression_statement
  (assignment_expression
    left: [(member_expression) (identifier)] @name
    right: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @definition.function

(expression_statement
  (assignment_expression
    left: [(member_expression) (identifier)] @name
    right: (class body: (class_body) @body))) @definition.class

(pair
  key: [(property_identifier) (string)] @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.method

; Names that a module binds
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(export_statement (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)

(comment) @comment

; References
(call_expression function: (identifier) @reference.call)
(call_expression function: (member_expression property: (_) @reference.call))
(new_expression constructor: (identifier) @reference.call)
(new_expression constructor: (member_expression property: (_) @reference.call))

(import_statement source: (string) @reference.import)
(export_statement source: (string) @reference.import)
(import_specifier name: (identifier) @reference.import)
(import_clause (identifier) @reference.import)
((call_expression
  function: (identifier) @_require
  arguments: (arguments . (string) @reference.import .))
  (#eq? @_require "require"))
