; Definitions
(class_declaration name: (identifier) @name body: (class_body) @body) @definition.class
(record_declaration name: (identifier) @name body: (class_body) @body) @definition.class
(interface_declaration name: (identifier) @name body: (interface_body) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (enum_body) @body) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant
(method_declaration name: (identifier) @name body: (block) @body) @definition.method
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name body: (constructor_body) @body) @definition.constructor
(compact_constructor_declaration name: (identifier) @name body: (block) @body) @definition.constructor
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.variable
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant

(modifiers [(annotation) (marker_annotation)] @attribute)
(line_comment) @comment
(block_comment) @comment

; References
(method_invocation name: (identifier) @reference.call)
(object_creation_expression type: (type_identifier) @reference.call)
(object_creation_expression type: (generic_type (type_identifier) @reference.call))
(object_creation_expression type: (scoped_type_identifier (type_identifier) @reference.call .))
(method_reference (identifier) @reference.call .)
(import_declaration (scoped_identifier) @reference.import)

(superclass (type_identifier) @reference.inherit)
(superclass (generic_type (type_identifier) @reference.inherit))
(superclass (scoped_type_identifier (type_identifier) @reference.inherit .))
(super_interfaces (type_list (type_identifier) @reference.inherit))
(super_interfaces (type_list (generic_type (type_identifier) @reference.inherit)))
(extends_interfaces (type_list (type_identifier) @reference.inherit))
(extends_interfaces (type_list (generic_type (type_identifier) @reference.inherit)))

(field_declaration type: (type_identifier) @reference.use)
(field_declaration type: (generic_type (type_identifier) @reference.use))
(formal_parameter type: (type_identifier) @reference.use)
(formal_parameter type: (generic_type (type_identifier) @reference.use))
(method_declaration type: (type_identifier) @reference.use)
(method_declaration type: (generic_type (type_identifier) @reference.use))
(type_arguments (type_identifier) @reference.use)
(marker_annotation name: (identifier) @reference.use)
(annotation name: (identifier) @reference.use)
