; What C++ has beyond the patterns it shares with C.
(class_specifier name: (_) @name body: (field_declaration_list) @body) @definition.class
(struct_specifier name: (_) @name body: (field_declaration_list) @body) @definition.struct
(union_specifier name: (_) @name body: (field_declaration_list) @body) @definition.struct
(enum_specifier name: (_) @name body: (enumerator_list) @body) @definition.enum
(namespace_definition name: (_) @name body: (declaration_list) @body) @definition.namespace
(concept_definition name: (identifier) @name) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(template_declaration) @wrapper

; Functions of a class, in it and outside
(function_definition
  declarator: [
    (function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name)
    (pointer_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (pointer_declarator (pointer_declarator (function_declarator declarator: (field_identifier) @name)))
  ]
  body: (_) @body) @definition.function
(function_definition
  declarator: [
    (function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name)
    (pointer_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  ]) @definition.function
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier) @name)
    (pointer_declarator (function_declarator declarator: (qualified_identifier) @name))
    (pointer_declarator (pointer_declarator (function_declarator declarator: (qualified_identifier) @name)))
    (reference_declarator (function_declarator declarator: (qualified_identifier) @name))
  ]
  body: (compound_statement) @body) @definition.method
(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier) @name)
    (reference_declarator (function_declarator declarator: (qualified_identifier) @name))
  ]) @definition.method
(function_definition
  declarator: (reference_declarator (function_declarator declarator: (identifier) @name))
  body: (compound_statement) @body) @definition.function
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(function_definition
  declarator: (function_declarator declarator: (template_function name: (identifier) @name))
  body: (compound_statement) @body) @definition.function
(function_definition (operator_cast) @name body: (_) @body) @definition.function

; Test macros: TEST(Suite, Case) { … }
(function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration !declarator type: (type_identifier) @scope)
      . (parameter_declaration !declarator type: (type_identifier) @name) .))
  body: (compound_statement) @body
  (#match? @_macro "^[A-Z][A-Z0-9_]*$")) @definition.method

; Declarations whose body is elsewhere
(field_declaration
  declarator: [
    (function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name)
    (pointer_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
    (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  ]) @definition.prototype
(declaration
  declarator: [
    (function_declarator declarator: [(destructor_name) (operator_name)] @name)
    (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
  ]) @definition.prototype

; Names that a namespace binds
(namespace_definition body: (declaration_list
  (declaration
    declarator: [
      (identifier) @name
      (pointer_declarator declarator: (identifier) @name)
      (array_declarator declarator: (identifier) @name)
      (init_declarator
        declarator: [
          (identifier) @name
          (pointer_declarator declarator: (identifier) @name)
          (array_declarator declarator: (identifier) @name)
        ])
    ]) @definition.variable))

; References
(call_expression function: (qualified_identifier) @reference.call)
(call_expression function: (template_function name: (identifier) @reference.call))
(call_expression function: (field_expression field: (template_method name: (field_identifier) @reference.call)))
(new_expression type: (type_identifier) @reference.call)
(new_expression type: (template_type name: (type_identifier) @reference.call))
(new_expression type: (qualified_identifier) @reference.call)
(base_class_clause (type_identifier) @reference.inherit)
(base_class_clause (template_type name: (type_identifier) @reference.inherit))
(base_class_clause (qualified_identifier) @reference.inherit)
(using_declaration (qualified_identifier) @reference.import)
(parameter_declaration type: (template_type name: (type_identifier) @reference.use))
(parameter_declaration type: (qualified_identifier name: (type_identifier) @reference.use))
(declaration type: (template_type name: (type_identifier) @reference.use))
(declaration type: (qualified_identifier name: (type_identifier) @reference.use))
