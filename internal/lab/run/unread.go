package run

// Unread makes a claim of each measurement, with neither statement nor place, until somebody has
// read the paper for it.
func Unread(claims func(*Subject) []Measurement) func(*Subject) []Claim {
	return func(s *Subject) (all []Claim) {
		for _, m := range claims(s) {
			all = append(all, Claim{Measures: []Measurement{m}, Note: m.Note})
		}
		return all
	}
}
