package textfile

// IsName reports whether a text is a letter, with letters, digits, '.', '-' and '_' behind it.
func IsName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		other := c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_'
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return name != ""
}
