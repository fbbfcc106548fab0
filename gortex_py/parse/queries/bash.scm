; Definitions
(function_definition name: (word) @name body: (_) @body) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)

(comment) @comment

; References
((command name: (command_name (word) @reference.call)) (#match? @reference.call "^[A-Za-z_]"))
((command name: (command_name) @_source . argument: (_) @reference.import)
  (#any-of? @_source "source" ".")
  (#match? @reference.import "/"))
