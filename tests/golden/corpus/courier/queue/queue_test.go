package queue

import (
	"context"
	"testing"
)

func TestPutRefusesWhenFull(t *testing.T) {
	q := New(1)
	if err := q.Put(Job{Code: "A"}); err != nil {
		t.Fatal(err)
	}
	if err := q.Put(Job{Code: "B"}); err != ErrFull {
		t.Fatalf("got %v, want ErrFull", err)
	}
}

func TestReturnSendsToDeadLettersAfterThreeAttempts(t *testing.T) {
	q := New(1)
	q.Return(Job{Code: "A", Attempts: 2})
	if len(q.dead) != 1 {
		t.Fatal("the job is not among the dead letters")
	}
	_ = context.Background()
}
