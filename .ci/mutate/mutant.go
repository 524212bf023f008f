package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"hash/fnv"
	"strconv"
	"strings"
)

// A mutant is one small change of one function.
type mutant struct {
	pkg, function string // "hiq", "(*Port).Next"
	from, to      string // what is changed, as the list of survivors has it
	nth           int    // 1, or more if the same text occurs again in the function

	file        *source
	decl        *ast.FuncDecl
	start, end  int // the bytes of the file that replacement takes the place of
	replacement string
}

// key names the mutant whatever moves around it: by package, function and source text.
func (m *mutant) key() string {
	key := fmt.Sprintf("%s %s: %s => %s", m.pkg, m.function, m.from, m.to)
	if m.nth > 1 {
		key += fmt.Sprintf(" #%d", m.nth)
	}
	return key
}

// rank orders mutants at random, but each by its key alone: a change of the code redraws the
// mutants of what was changed and no others.
func (m *mutant) rank(seed uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, m.key())
	x := h.Sum64() // whose high bits follow the last letters: mix, as SplitMix64 ends
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// swapped has the operators that take each other's place.
var swapped = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL},
	token.REM: {token.QUO}, token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.OR},
	token.AND_NOT: {token.AND}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.OR_ASSIGN: {token.AND_NOT_ASSIGN}, token.AND_NOT_ASSIGN: {token.OR_ASSIGN},
	token.AND_ASSIGN: {token.OR_ASSIGN}, token.XOR_ASSIGN: {token.OR_ASSIGN},
	token.SHL_ASSIGN: {token.SHR_ASSIGN}, token.SHR_ASSIGN: {token.SHL_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

// words has the identifiers that take each other's place.
var words = map[string]string{"min": "max", "max": "min", "true": "false", "false": "true"}

// A finder collects the mutants of one function.
type finder struct {
	file    *source
	pkg     string
	decl    *ast.FuncDecl
	seen    map[string]int // by key without its number
	mutants []*mutant
}

// mutantsOf returns all mutants of a function, in the order of the text.
func mutantsOf(pkg string, file *source, decl *ast.FuncDecl) []*mutant {
	f := &finder{file: file, pkg: pkg, decl: decl, seen: map[string]int{}}
	ast.Inspect(decl.Body, f.visit)
	return f.mutants
}

// add makes the mutant in which node is replaced; whole is the text around it that names it.
func (f *finder) add(whole ast.Node, start, end token.Pos, replacement string) {
	before, after := f.file.between(whole.Pos(), start), f.file.between(end, whole.End())
	from := oneLine(before + f.file.between(start, end) + after)
	f.describe(from, oneLine(before+replacement+after), start, end, replacement)
}

// describe makes the mutant in which what lies between start and end is replaced, and names it.
func (f *finder) describe(from, to string, start, end token.Pos, replacement string) {
	m := &mutant{
		pkg: f.pkg, function: nameOf(f.decl), from: from, to: to, file: f.file, decl: f.decl,
		start: f.file.offset(start), end: f.file.offset(end), replacement: replacement,
	}
	f.seen[m.key()]++
	m.nth = f.seen[m.key()]
	f.mutants = append(f.mutants, m)
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ArrayType: // the length of an array is no decision
		return false
	case *ast.BinaryExpr:
		f.operator(n, n.OpPos, n.Op)
		if n.Op == token.LAND || n.Op == token.LOR {
			f.add(n, n.X.End(), n.End(), "")
			f.add(n, n.Pos(), n.Y.Pos(), "")
		}
	case *ast.AssignStmt:
		f.operator(n, n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		f.operator(n, n.TokPos, n.Tok)
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB || n.Op == token.XOR {
			f.add(n, n.Pos(), n.X.Pos(), "")
		}
	case *ast.BasicLit:
		f.literal(n)
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && words[name.Name] != "" {
			f.add(n, name.Pos(), name.End(), words[name.Name])
		}
	case *ast.Ident:
		if n.Name == "true" || n.Name == "false" {
			f.add(n, n.Pos(), n.End(), words[n.Name])
		}
	case *ast.IfStmt:
		f.branch(n)
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	}
	return true
}

func (f *finder) operator(n ast.Node, pos token.Pos, op token.Token) {
	for _, other := range swapped[op] {
		f.add(n, pos, pos+token.Pos(len(op.String())), other.String())
	}
}

// literal makes an integer one more, and 1 also 0.
func (f *finder) literal(n *ast.BasicLit) {
	value, err := strconv.ParseUint(n.Value, 0, 62)
	if n.Kind != token.INT || err != nil {
		return
	}
	context := f.file.line(n.Pos())
	for _, to := range []uint64{value + 1, 0} {
		if to == 0 && value != 1 {
			continue
		}
		replacement := strconv.FormatUint(to, 10)
		f.describe(fmt.Sprintf("%s in %s", n.Value, context), replacement, n.Pos(), n.End(), replacement)
	}
}

// branch makes the mutants in which the body of an if is never run, or its else, and the mutant
// with the opposite condition where no operator makes it.
func (f *finder) branch(n *ast.IfStmt) {
	condition := f.file.between(n.Cond.Pos(), n.Cond.End())
	name := "if " + oneLine(condition)
	f.describe(name, "never", n.Cond.Pos(), n.Cond.End(), "("+condition+") && false")
	if _, binary := n.Cond.(*ast.BinaryExpr); !binary {
		f.describe(name, "if not", n.Cond.Pos(), n.Cond.End(), "!("+condition+")")
	}
	if n.Else != nil {
		f.describe("else of "+name, "never", n.Body.End(), n.Else.End(), "")
	}
}

// statements makes the mutants in which one statement of a list is left out.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt:
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ReturnStmt:
			if body := f.decl.Body.List; body[len(body)-1] == s && len(s.Results) > 0 {
				continue // does not compile
			}
		default:
			continue
		}
		text := oneLine(f.file.between(s.Pos(), s.End()))
		f.describe(text, "nothing", s.Pos(), s.End(), "{}")
	}
}

// nameOf is the function as Go's tools print it: "New", "(*Port).Next", "(Set).Has".
func nameOf(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return decl.Name.Name
	}
	receiver, star := decl.Recv.List[0].Type, ""
	if s, ok := receiver.(*ast.StarExpr); ok {
		receiver, star = s.X, "*"
	}
	switch r := receiver.(type) {
	case *ast.IndexExpr:
		receiver = r.X
	case *ast.IndexListExpr:
		receiver = r.X
	}
	return fmt.Sprintf("(%s%s).%s", star, receiver.(*ast.Ident).Name, decl.Name.Name)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
