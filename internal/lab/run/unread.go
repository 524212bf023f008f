package run

// Unread makes a claim of each measurement, with neither statement nor place, until somebody has
// read the paper for it.
func Unread(claims func(*Subject) []Measurement) func(*Subject) []Claim {
	return func(s *Subject) (all []Claim) {
		for _, m := range claims(s) {
			c := Claim{Measures: []Measurement{m}, Note: m.Note}
			if len(m.Published) > 0 {
				c.Statement, c.Place = m.What, m.Figure
			}
			all = append(all, c)
		}
		return all
	}
}
