package route

// stop is an island that was reached after some minutes.
type stop struct {
	island  string
	minutes int
}

// stops is a priority queue of stops, the nearest first.
type stops []stop

func (s stops) Len() int           { return len(s) }
func (s stops) Less(i, j int) bool { return s[i].minutes < s[j].minutes }
func (s stops) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

// Push adds a stop; use heap.Push.
func (s *stops) Push(x any) { *s = append(*s, x.(stop)) }

// Pop removes the last stop; use heap.Pop.
func (s *stops) Pop() any {
	last := len(*s) - 1
	taken := (*s)[last]
	*s = (*s)[:last]
	return taken
}
