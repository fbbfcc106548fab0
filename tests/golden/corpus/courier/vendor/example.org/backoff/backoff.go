// Package backoff is a third-party copy: exponential backoff with jitter.
package backoff

import (
	"math/rand"
	"time"
)

// Policy says how long to wait between retries.
type Policy struct {
	Initial, Max time.Duration
	Factor       float64
}

// Delay returns the wait before a retry attempt.
func (p Policy) Delay(attempt int) time.Duration {
	wait := float64(p.Initial)
	for i := 0; i < attempt; i++ {
		wait *= p.Factor
	}
	if wait > float64(p.Max) {
		wait = float64(p.Max)
	}
	return time.Duration(wait * (0.5 + rand.Float64()))
}

// Retry calls the function until it succeeds or the attempts are used up.
func Retry(p Policy, attempts int, call func() error) (err error) {
	for i := 0; i < attempts; i++ {
		if err = call(); err == nil {
			return nil
		}
		time.Sleep(p.Delay(i))
	}
	return err
}
