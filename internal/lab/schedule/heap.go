package schedule

// heap is a binary heap of operations, the least on top.
type heap []int32

func (h *heap) push(operation int32) {
	*h = append(*h, operation)
	s, i := *h, len(*h)-1
	for i > 0 && operation < s[(i-1)/2] {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = operation
}

// pop removes the least; there must be one.
func (h *heap) pop() int32 {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	i := 0
	for child := 1; child < len(s); child = 2*i + 1 {
		if child+1 < len(s) && s[child+1] < s[child] {
			child++
		}
		if last <= s[child] {
			break
		}
		s[i] = s[child]
		i = child
	}
	if len(s) > 0 {
		s[i] = last
	}
	return top
}
