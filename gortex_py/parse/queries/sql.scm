; Definitions
(create_table (object_reference) @name) @definition.table
(create_view (object_reference) @name) @definition.table
(create_materialized_view (object_reference) @name) @definition.table
(create_function (object_reference) @name (function_body)? @body) @definition.function
(create_procedure (object_reference) @name (procedure_body)? @body) @definition.function
(create_trigger (keyword_trigger) . (object_reference) @name) @definition.function
(create_type (keyword_type) . (object_reference) @name) @definition.type
(create_schema (identifier) @name) @definition.namespace
(create_sequence (object_reference) @name) @definition.variable
(create_index column: (identifier) @name) @definition.variable
(column_definition name: (identifier) @name) @definition.field

[(comment) (marginalia)] @comment

; References
(invocation (object_reference) @reference.call)
(relation (object_reference) @reference.use)
(insert (object_reference) @reference.use)
(alter_table (object_reference) @reference.use)
(create_index (object_reference) @reference.use)
(constraint (object_reference) @reference.use)
(column_definition (object_reference) @reference.use)
