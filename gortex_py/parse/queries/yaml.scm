; Keys of mappings. A pair of a mapping in a list is captured as a field: it is kept only where a
; name or an id tells the mappings of the list apart.
(document (block_node (block_mapping (block_mapping_pair key: (flow_node (_) @name .)) @definition.key)))
(document (flow_node (flow_mapping (flow_pair key: (flow_node (_) @name .)) @definition.key)))
(ERROR (block_mapping_pair key: (flow_node (_) @name .)) @definition.key)
(block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (flow_node (_) @name .)) @definition.key)))
(block_mapping_pair value: (flow_node (flow_mapping (flow_pair key: (flow_node (_) @name .)) @definition.key)))
(flow_pair value: (flow_node (flow_mapping (flow_pair key: (flow_node (_) @name .)) @definition.key)))
(block_sequence_item (block_node (block_mapping (block_mapping_pair key: (flow_node (_) @name .)) @definition.field)))
(flow_sequence (flow_node (flow_mapping (flow_pair key: (flow_node (_) @name .)) @definition.field)))
((block_sequence_item
  (block_node
    (block_mapping
      (block_mapping_pair
        key: (flow_node) @_key
        value: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name))))) @definition.element
  (#any-of? @_key "name" "id"))

(comment) @comment
