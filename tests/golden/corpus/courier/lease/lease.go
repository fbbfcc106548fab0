// Package lease lets one dispatcher at a time hold a parcel.
package lease

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrHeld means that another dispatcher holds the parcel.
var ErrHeld = errors.New("lease: held by another")

// Duration is how long a lease lasts without being renewed.
const Duration = 30 * time.Second

// Table knows who holds what.
type Table struct {
	mu      sync.Mutex
	expires map[string]time.Time
	now     func() time.Time
}

// NewTable makes an empty table.
func NewTable() *Table {
	return &Table{expires: map[string]time.Time{}, now: time.Now}
}

// Lease is held until it is released or runs out.
type Lease struct {
	table *Table
	key   string
}

// Acquire takes the lease of a key, or returns ErrHeld while an unexpired one is out.
func (t *Table) Acquire(ctx context.Context, key string) (*Lease, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if until, held := t.expires[key]; held && t.now().Before(until) {
		return nil, ErrHeld
	}
	t.expires[key] = t.now().Add(Duration)
	return &Lease{table: t, key: key}, ctx.Err()
}

// Renew extends the lease.
func (l *Lease) Renew() {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	l.table.expires[l.key] = l.table.now().Add(Duration)
}

// Release gives the lease back.
func (l *Lease) Release() {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	delete(l.table.expires, l.key)
}
