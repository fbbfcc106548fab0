// Command courier takes booked parcels from the queue and dispatches them.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"ferry/courier/lease"
	"ferry/courier/queue"
	"ferry/courier/route"
)

// dispatch plans a route for one parcel while holding its lease.
func dispatch(ctx context.Context, leases *lease.Table, planner *route.Planner, job queue.Job) error {
	held, err := leases.Acquire(ctx, job.Code)
	if err != nil {
		return err
	}
	defer held.Release()
	path, err := planner.Plan(job.From, job.To)
	if err != nil {
		return err
	}
	log.Printf("parcel %s goes over %v", job.Code, path)
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	jobs := queue.New(128)
	leases := lease.NewTable()
	planner := route.NewPlanner(route.DefaultNetwork())
	for {
		job, err := jobs.Take(ctx)
		if err != nil {
			log.Printf("shutting down: %v", err)
			return
		}
		if err := dispatch(ctx, leases, planner, job); err != nil {
			log.Printf("parcel %s: %v", job.Code, err)
			jobs.Return(job)
		}
	}
}
