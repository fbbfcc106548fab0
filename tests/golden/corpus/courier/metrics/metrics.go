// Package metrics counts what happens, for scraping.
package metrics

import (
	"fmt"
	"io"
	"sort"
	"sync"
)

// Registry holds counters by name.
type Registry struct {
	mu       sync.Mutex
	counters map[string]uint64
}

// Increment adds one to a counter.
func (r *Registry) Increment(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counters == nil {
		r.counters = map[string]uint64{}
	}
	r.counters[name]++
}

// WriteText writes all counters in the text exposition format, sorted by name.
func (r *Registry) WriteText(w io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := make([]string, 0, len(r.counters))
	for name := range r.counters {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if _, err := fmt.Fprintf(w, "%s %d\n", name, r.counters[name]); err != nil {
			return err
		}
	}
	return nil
}
