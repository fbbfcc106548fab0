package route

import "testing"

func TestPlanTakesTheQuickestWay(t *testing.T) {
	path, err := NewPlanner(DefaultNetwork()).Plan("north", "lighthouse")
	if err != nil || len(path) != 3 {
		t.Fatalf("got %v, %v", path, err)
	}
}

func TestPlanToAnUnreachableIsland(t *testing.T) {
	if _, err := NewPlanner(DefaultNetwork()).Plan("north", "moon"); err != ErrUnreachable {
		t.Fatalf("got %v, want ErrUnreachable", err)
	}
}
