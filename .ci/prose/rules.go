package main

import (
	"regexp"
	"strings"
)

// rule is a phrase, by a pattern, and what a writer does in its place.
type rule struct {
	phrase  string
	pattern *regexp.Regexp
	instead string
}

func phrase(name, pattern, instead string) rule {
	return rule{name, regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`), instead}
}

// A sentence has an agent, an active verb and an object, at most one subordinate clause, and the
// field's noun.
var rules = []rule{
	phrase("so many", `so many`, "give the number, or name what is counted"),
	phrase("whoever", `whoever`, "name the agent"),
	phrase("nobody", `nobody|no one`, "name the agent, and negate the verb"),
	phrase("somebody", `(?:some|any|every)(?:body|one)`, "name the agent"),
	phrase("of whom", `of whom`, "write of which, or name the agent"),
	phrase("for want of", `for want of`, "write without, or because there is none"),
	phrase("that there is not", `that there (?:is|are) not`, "write nonexistent, or missing"),
	phrase("but for", `but for`, "write except, or a condition"),
	phrase("that of", `that of|those of`, "repeat the noun"),
	phrase("is told", `(?:is|are|was|were|be|been|being)(?: not| never| last)? told|`+
		`told (?:of|about|again|apart|to)`, "name what passes what, or write distinguished"),
	phrase("goes by", `goes? by|went by`, "write uses, follows, or is chosen by"),
}

// quotation finds a sentence of others: seven words or more between quotation marks. Behind
// "formats as" is an example of what a method returns.
var quotation = regexp.MustCompile(`(formats as )?"([^"]+)"(?: or "[^"]+")?`)

const quotedWords = 7

// text is a comment, a string or a paragraph, and the line on which it begins.
type text struct {
	line    int
	words   string
	comment bool
}

// phrases counts the phrases of a text, by name.
func phrases(t text) map[string]int {
	found := map[string]int{}
	for _, r := range rules {
		if n := len(r.pattern.FindAllString(t.words, -1)); n > 0 {
			found[r.phrase] = n
		}
	}
	if !t.comment {
		return found
	}
	for _, quoted := range quotation.FindAllStringSubmatch(t.words, -1) {
		if quoted[1] == "" && len(strings.Fields(quoted[2])) >= quotedWords {
			found["quotation"]++
		}
	}
	return found
}

// instead returns what to do about a phrase.
func instead(phrase string) string {
	for _, r := range rules {
		if r.phrase == phrase {
			return r.instead
		}
	}
	return "state the rule in our own words, with its section"
}
