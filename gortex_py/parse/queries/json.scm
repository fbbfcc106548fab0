; Keys of objects. A pair of an object in a list is captured as a field: it is kept only where a
; name or an id tells the objects of the list apart.
(document (object (pair key: (string (string_content) @name)) @definition.key))
(ERROR (pair key: (string (string_content) @name)) @definition.key)
(pair value: (object (pair key: (string (string_content) @name)) @definition.key))
(array (object (pair key: (string (string_content) @name)) @definition.field))
((array
  (object
    (pair key: (string (string_content) @_key) value: [(string (string_content) @name) (number) @name])) @definition.element)
  (#any-of? @_key "name" "id"))

(comment) @comment
