; Rules by their selectors; custom properties only where a page declares them for all.
(rule_set (selectors) @name (block) @body) @definition.rule
(keyframes_statement (keyframes_name) @name) @definition.rule
((stylesheet
  (rule_set
    (selectors (pseudo_class_selector (class_name) @_root .))
    (block (declaration (property_name) @name) @definition.variable)))
  (#eq? @_root "root")
  (#match? @name "^--"))

[(comment) (js_comment)] @comment

; References
(import_statement [(string_value) @reference.import (call_expression (arguments (string_value) @reference.import))])
((call_expression (function_name) @_var (arguments (plain_value) @reference.use))
  (#eq? @_var "var"))
