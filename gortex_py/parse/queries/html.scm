; Elements with an id, headings and the title; the rest of a page is its text.
((element
  [(start_tag (attribute (attribute_name) @_id [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
   (self_closing_tag (attribute (attribute_name) @_id [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))]) @definition.element
  (#eq? @_id "id"))
((element (start_tag (tag_name) @_heading) . (text) @name) @definition.element
  (#match? @_heading "^([hH][1-6]|title)$"))

(comment) @comment

; References: scripts and styles that are read, custom elements that are used
((script_element (start_tag (attribute (attribute_name) @_src (quoted_attribute_value) @reference.import)))
  (#eq? @_src "src"))
((element (start_tag (tag_name) @_link (attribute (attribute_name) @_href (quoted_attribute_value) @reference.import)))
  (#eq? @_link "link")
  (#eq? @_href "href"))
((start_tag (tag_name) @reference.use) (#match? @reference.use "-"))
