; Definitions. Decorators are attributes, so that a signature starts at `def` or `class`.
(class_definition
  name: (identifier) @name
  body: (block) @body) @definition.class

(function_definition
  name: (identifier) @name
  body: (block) @body) @definition.function

(decorator) @attribute

; Names that a module or a class binds; locals are dropped later.
(module
  (expression_statement
    (assignment left: (identifier) @name)) @definition.variable)

(module
  (if_statement
    (block
      (expression_statement
        (assignment left: (identifier) @name)) @definition.variable)))

(class_definition
  body: (block
    (expression_statement
      (assignment left: (identifier) @name)) @definition.field))

(type_alias_statement
  left: (type (identifier) @name)) @definition.type

; Documentation
(comment) @comment

(module . (comment)* . (expression_statement . (string) @docstring .))
(class_definition body: (block . (comment)* . (expression_statement . (string) @docstring .)))
(function_definition body: (block . (comment)* . (expression_statement . (string) @docstring .)))

; References
(call function: (identifier) @reference.call)
(call function: (attribute attribute: (identifier) @reference.call))
(decorator (identifier) @reference.call)
(decorator (attribute attribute: (identifier) @reference.call))

(import_statement name: (dotted_name) @reference.import)
(import_statement name: (aliased_import name: (dotted_name) @reference.import))
(import_from_statement module_name: (dotted_name) @reference.import)
(import_from_statement module_name: (relative_import (dotted_name)) @reference.import)
(import_from_statement name: (dotted_name) @reference.import)
(import_from_statement name: (aliased_import name: (dotted_name) @reference.import))

(class_definition superclasses: (argument_list (identifier) @reference.inherit))
(class_definition superclasses: (argument_list (attribute attribute: (identifier) @reference.inherit)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @reference.inherit)))
(class_definition
  superclasses: (argument_list (subscript value: (attribute attribute: (identifier) @reference.inherit))))

(type (identifier) @reference.use)
(type (generic_type (identifier) @reference.use))
(type (attribute attribute: (identifier) @reference.use))
(type (subscript value: (identifier) @reference.use))
