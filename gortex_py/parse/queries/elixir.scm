; Everything is a call here: `defmodule`, `def` and their like are told by their names.
((call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block) @body) @definition.module
  (#eq? @_def "defmodule"))
((call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block) @body) @definition.interface
  (#eq? @_def "defprotocol"))
; The implementation of Size for Map is Size.Map.
((call
  target: (identifier) @_def
  (arguments . (alias) @scope (keywords (pair key: (keyword) @_for value: (alias) @name)))
  (do_block) @body) @definition.module
  (#eq? @_def "defimpl")
  (#match? @_for "^for:"))

((call
  target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (binary_operator left: (identifier) @name operator: "when")
  ])
  (do_block)? @body) @definition.function
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp"))
((call
  target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
  ])
  (do_block)? @body) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))

; A struct has no name but its module's.
((call target: (identifier) @name) @definition.struct
  (#any-of? @name "defstruct" "defexception"))
((call
  target: (identifier) @_def
  (arguments (list [(atom) @name (keywords (pair key: (keyword) @name))]))) @definition.field
  (#any-of? @_def "defstruct" "defexception"))

((unary_operator
  operand: (call
    target: (identifier) @_type
    (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "::")))) @definition.type
  (#any-of? @_type "type" "typep" "opaque"))
((unary_operator
  operand: (call
    target: (identifier) @_callback
    (arguments (binary_operator left: (call target: (identifier) @name))))) @definition.prototype
  (#any-of? @_callback "callback" "macrocallback"))
((unary_operator
  "@"
  operand: (call target: (identifier) @name (arguments))) @definition.constant
  (#not-match? @name
    "^(after_compile|before_compile|behaviour|callback|compile|deprecated|derive|dialyzer|doc|enforce_keys|external_resource|impl|macrocallback|moduledoc|on_definition|on_load|opaque|optional_callbacks|spec|tag|type|typedoc|typep)$"))

; Documentation: `@moduledoc` belongs to the module it stands in, `@doc` to what follows it.
((unary_operator
  operand: (call target: (identifier) @_doc (arguments [(string) @docstring (sigil (quoted_content) @docstring)])))
  (#eq? @_doc "moduledoc"))
((unary_operator
  operand: (call target: (identifier) @_doc (arguments [(string) (sigil)]))) @comment
  (#any-of? @_doc "doc" "typedoc"))
((unary_operator
  operand: (call target: (identifier) @_attr)) @attribute
  (#any-of? @_attr "impl" "spec" "deprecated" "tag"))
(comment) @comment

; References. What defines and what imports is no call.
((call target: (identifier) @reference.call)
  (#not-match? @reference.call "^(def[a-z]*|use|alias|import|require|doc|moduledoc|typedoc|spec|type|typep|opaque|callback|impl|behaviour)$"))
(call target: (dot right: (identifier) @reference.call))
((call target: (identifier) @_import (arguments . (alias) @reference.import))
  (#any-of? @_import "alias" "import" "require"))
((call target: (identifier) @_import (arguments (dot right: (tuple (alias) @reference.import))))
  (#any-of? @_import "alias" "import" "require"))
((call target: (identifier) @_use (arguments . (alias) @reference.inherit))
  (#any-of? @_use "use" "behaviour" "defimpl"))
(call target: (dot left: (alias) @reference.use))
(struct (alias) @reference.use)
