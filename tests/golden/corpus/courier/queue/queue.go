// Package queue holds parcels that wait for dispatch.
package queue

import (
	"context"
	"errors"
)

// ErrFull is returned when no more jobs fit.
var ErrFull = errors.New("queue: full")

// Job is one parcel to dispatch.
type Job struct {
	Code     string
	From, To string
	Attempts int
}

// Queue is a bounded first-in first-out queue; it may be used by many goroutines.
type Queue struct {
	jobs chan Job
	dead []Job
}

// New makes a queue that holds at most capacity jobs.
func New(capacity int) *Queue {
	return &Queue{jobs: make(chan Job, capacity)}
}

// Put adds a job, or returns ErrFull without waiting.
func (q *Queue) Put(job Job) error {
	select {
	case q.jobs <- job:
		return nil
	default:
		return ErrFull
	}
}

// Take waits for the next job or for the end of the context.
func (q *Queue) Take(ctx context.Context) (Job, error) {
	select {
	case job := <-q.jobs:
		return job, nil
	case <-ctx.Done():
		return Job{}, ctx.Err()
	}
}

// Return puts a failed job back; after three attempts it goes to the dead letters.
func (q *Queue) Return(job Job) {
	job.Attempts++
	if job.Attempts >= 3 || q.Put(job) != nil {
		q.dead = append(q.dead, job)
	}
}
