; Definitions. A constant that holds a new class is a class.
(module name: (_) @name body: (body_statement)? @body) @definition.module
(class name: (_) @name body: (body_statement)? @body) @definition.class
(method name: (_) @name body: (_)? @body) @definition.function
(singleton_method name: (_) @name body: (_)? @body) @definition.method
(module body: (body_statement (method name: (_) @name) @definition.method))
(singleton_class body: (body_statement (method name: (_) @name) @definition.method))

(assignment left: [(constant) (scope_resolution)] @name) @definition.constant
(assignment left: (left_assignment_list (constant) @name)) @definition.constant
((assignment
  left: [(constant) (scope_resolution)] @name
  right: (call
    receiver: (constant) @_maker
    method: (identifier) @_new
    block: (_)? @body)) @definition.class
  (#any-of? @_maker "Class" "Data" "Module" "Struct")
  (#any-of? @_new "new" "define"))

((call
  method: (identifier) @_attr
  arguments: (argument_list [(simple_symbol) (string)] @name)) @definition.property
  (#any-of? @_attr
    "attr" "attr_reader" "attr_writer" "attr_accessor" "attr_internal" "class_attribute" "config_accessor"
    "mattr_reader" "mattr_writer" "mattr_accessor" "cattr_reader" "cattr_writer" "cattr_accessor"
    "thread_mattr_accessor" "thread_cattr_accessor"))
((call
  method: (identifier) @_define
  arguments: (argument_list . (simple_symbol) @name)
  block: (_)? @body) @definition.method
  (#any-of? @_define "define_method" "define_singleton_method" "alias_method"))
(alias name: (identifier) @name) @definition.method

(comment) @comment

; References. A bare `name` may be a local, so only calls with arguments or a receiver count.
(call method: [(identifier) (constant)] @reference.call)
(superclass [(constant) (scope_resolution)] @reference.inherit)
((call
  method: (identifier) @_mix
  arguments: (argument_list [(constant) (scope_resolution)] @reference.inherit))
  (#any-of? @_mix "include" "extend" "prepend"))
((call
  method: (identifier) @_require
  arguments: (argument_list (string) @reference.import))
  (#any-of? @_require "require" "require_relative" "load" "require_dependency"))
((call
  method: (identifier) @_autoload
  arguments: (argument_list . (simple_symbol) @reference.import))
  (#eq? @_autoload "autoload"))
(call receiver: [(constant) (scope_resolution)] @reference.use)
(argument_list [(constant) (scope_resolution)] @reference.use)
(exceptions [(constant) (scope_resolution)] @reference.use)
