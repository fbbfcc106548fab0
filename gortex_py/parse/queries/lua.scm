; Definitions. The table that a function is put into is spelled in its name.
(function_declaration name: [(identifier) (dot_index_expression)] @name body: (_)? @body) @definition.function
(function_declaration name: (method_index_expression) @name body: (_)? @body) @definition.method
(assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @name .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @definition.function
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.method

; A name for what another module defines is no definition.
((chunk
  (variable_declaration
    (assignment_statement (variable_list name: (identifier) @name) (expression_list . (_) @_value))) @definition.variable)
  (#not-match? @_value "^require\\b|^(?!true$|false$|nil$)[A-Za-z_][\\w.]*$"))
((chunk
  (assignment_statement
    (variable_list name: [(identifier) (dot_index_expression)] @name)
    (expression_list . (_) @_value)) @definition.variable)
  (#not-match? @_value "^require\\b|^(?!true$|false$|nil$)[A-Za-z_][\\w.]*$"))
; The fields of a table that the file names; deeper tables are data.
(chunk
  (assignment_statement
    (expression_list (table_constructor (field name: [(identifier) (string)] @name) @definition.field))))
(chunk
  (variable_declaration
    (assignment_statement
      (expression_list (table_constructor (field name: [(identifier) (string)] @name) @definition.field)))))

(variable_declaration) @wrapper
(comment) @comment

; References
(function_call name: (identifier) @reference.call)
(function_call name: (dot_index_expression field: (identifier) @reference.call))
(function_call name: (method_index_expression method: (identifier) @reference.call))
((function_call
  name: (identifier) @_require
  arguments: (arguments . (string content: (string_content) @reference.import)))
  (#eq? @_require "require"))
(function_call name: (dot_index_expression table: (identifier) @reference.use))
