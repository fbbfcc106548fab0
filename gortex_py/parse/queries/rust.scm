; Definitions
(struct_item name: (type_identifier) @name body: (_) @body) @definition.struct
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_item name: (type_identifier) @name body: (_) @body) @definition.enum
(enum_variant name: (identifier) @name) @definition.constant
(trait_item name: (type_identifier) @name body: (_) @body) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name body: (declaration_list) @body) @definition.module
(macro_definition name: (identifier) @name) @definition.macro
(function_item name: (identifier) @name body: (block) @body) @definition.function
(field_declaration name: (field_identifier) @name) @definition.field

(trait_item body: (declaration_list (function_signature_item name: (identifier) @name) @definition.method))
(trait_item body: (declaration_list (associated_type name: (type_identifier) @name) @definition.type))
(foreign_mod_item body: (declaration_list (function_signature_item name: (identifier) @name) @definition.prototype))

; An impl is no definition of its own; what it holds belongs to its type.
(impl_item
  type: (_) @scope
  body: (declaration_list
    (function_item name: (identifier) @name body: (block) @body) @definition.method))
(impl_item
  type: (_) @scope
  body: (declaration_list (const_item name: (identifier) @name) @definition.constant))
(impl_item
  type: (_) @scope
  body: (declaration_list (type_item name: (type_identifier) @name) @definition.type))

(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable

(attribute_item) @attribute
(line_comment) @comment
(block_comment) @comment

; Items that a macro such as `cfg_rt! { … }` wraps are mere tokens to the grammar.
(source_file (macro_invocation (token_tree . "{") @reparse))
(source_file (expression_statement (macro_invocation (token_tree . "{") @reparse)))
(mod_item body: (declaration_list (macro_invocation (token_tree . "{") @reparse)))
(impl_item body: (declaration_list (macro_invocation (token_tree . "{") @reparse)))

; References
(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (field_identifier) @reference.call))
(call_expression function: (scoped_identifier name: (identifier) @reference.call))
(call_expression function: (generic_function function: (identifier) @reference.call))
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @reference.call)))
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @reference.call)))
(macro_invocation macro: (identifier) @reference.call)
(macro_invocation macro: (scoped_identifier name: (identifier) @reference.call))
(struct_expression name: (type_identifier) @reference.call)
(struct_expression name: (scoped_type_identifier name: (type_identifier) @reference.call))

(use_declaration argument: (identifier) @reference.import)
(use_declaration argument: (scoped_identifier) @reference.import)
(use_as_clause path: (identifier) @reference.import)
(use_as_clause path: (scoped_identifier) @reference.import)
(use_list (identifier) @reference.import)
(use_list (scoped_identifier) @reference.import)
(scoped_use_list path: (_) @reference.import)
(use_wildcard (_) @reference.import)

(impl_item trait: (type_identifier) @reference.inherit)
(impl_item trait: (scoped_type_identifier name: (type_identifier) @reference.inherit))
(impl_item trait: (generic_type type: (type_identifier) @reference.inherit))
(trait_item bounds: (trait_bounds (type_identifier) @reference.inherit))
(attribute_item
  (attribute (identifier) @_derive arguments: (token_tree (identifier) @reference.inherit))
  (#eq? @_derive "derive"))

(parameter type: (type_identifier) @reference.use)
(parameter type: (reference_type type: (type_identifier) @reference.use))
(parameter type: (generic_type type: (type_identifier) @reference.use))
(function_item return_type: (type_identifier) @reference.use)
(function_item return_type: (generic_type type: (type_identifier) @reference.use))
(field_declaration type: (type_identifier) @reference.use)
(field_declaration type: (generic_type type: (type_identifier) @reference.use))
(type_arguments (type_identifier) @reference.use)
