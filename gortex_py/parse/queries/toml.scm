; Tables and keys. A dotted key is its last part under the others.
(table . [(bare_key) (quoted_key)] @name) @definition.key
(table . (dotted_key (_) @scope . (_) @name .)) @definition.key
(table_array_element . [(bare_key) (quoted_key)] @name) @definition.key
(table_array_element . (dotted_key (_) @scope . (_) @name .)) @definition.key
((table_array_element
  . (_) @scope
  (pair . (bare_key) @_key (string) @name)) @definition.element
  (#any-of? @_key "name" "id"))
(document (pair . [(bare_key) (quoted_key)] @name) @definition.key)
(document (pair . (dotted_key (_) @scope . (_) @name .)) @definition.key)
(table (pair . [(bare_key) (quoted_key)] @name) @definition.key)
(table (pair . (dotted_key (_) @scope . (_) @name .)) @definition.key)
(table_array_element (pair . [(bare_key) (quoted_key)] @name) @definition.key)
(pair (inline_table (pair . [(bare_key) (quoted_key)] @name) @definition.key))

(comment) @comment
