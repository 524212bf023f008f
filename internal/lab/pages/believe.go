package pages

// believe says what a reader should believe, what not, and why.
func believe(papers []*paper) string {
	return ""
}
