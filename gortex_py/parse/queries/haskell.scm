; Definitions. A signature and the equations below it become one symbol later.
(header module: (module) @name) @definition.module
(data_type name: (_) @name) @definition.type
(newtype name: (_) @name) @definition.type
(type_synonym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(class name: (_) @name declarations: (_)? @body) @definition.trait
; The instance of Shape for Square is Shape.Square.
(instance name: (_) @scope patterns: (type_patterns . (_) @name) declarations: (_)? @body) @definition.type

(data_constructor (record name: (_) @name)) @definition.constant
(data_constructor (prefix name: (_) @name)) @definition.constant
(newtype_constructor name: (_) @name) @definition.constant
(gadt_constructor name: (_) @name) @definition.constant
(field name: (field_name (_) @name)) @definition.field
(pattern_synonym (equation synonym: [(apply function: (constructor) @name) (constructor) @name])) @definition.function

(declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @definition.function)
(declarations (signature names: (binding_list name: (variable) @name)) @definition.function)
(declarations (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.function)
(declarations (function (infix operator: [(operator) @name (infix_id (variable) @name)]) match: (_) @body) @definition.function)
(declarations (bind name: (variable) @name match: (_) @body) @definition.function)
(declarations (foreign_import signature: (signature name: (variable) @name)) @definition.function)
(class_declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @definition.method)
(class_declarations (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.method)
(instance_declarations (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.method)
(instance_declarations (function (infix operator: (operator) @name) match: (_) @body) @definition.method)
(instance_declarations (bind name: (variable) @name match: (_) @body) @definition.method)

[(comment) (haddock)] @comment

; References
(import module: (module) @reference.import)
(import_name variable: (variable) @reference.import)
(import_name type: (_) @reference.import)
(apply function: (variable) @reference.call)
(apply function: (qualified id: (variable) @reference.call))
(infix operator: (operator) @reference.use)
(deriving classes: (tuple (name) @reference.inherit))
(deriving classes: (name) @reference.inherit)
(instance name: (name) @reference.inherit)
(name) @reference.use
