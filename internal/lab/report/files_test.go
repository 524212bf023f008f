package report

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func writeText(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// A failure leaves what was there, and nothing beside it.
func TestWriteFileIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.txt")
	require.NoError(t, WriteFile(path, nil, writeText("old")))
	err := WriteFile(path, nil, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the new")
		return errors.New("broke")
	})
	require.EqualError(t, err, "cannot write "+path+": broke")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(content))
	require.NoError(t, WriteFile(path, nil, writeText("new")))
	content, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(content))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// A symbolic link stays one: what it points to is written, also if that is new.
func TestWriteFileThroughALink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "kept", "out.txt")
	link, chain := filepath.Join(dir, "link.txt"), filepath.Join(dir, "chain.txt")
	require.NoError(t, os.Mkdir(filepath.Dir(target), 0o777))
	require.NoError(t, os.Symlink(filepath.Join("kept", "out.txt"), link))
	require.NoError(t, os.Symlink(link, chain))
	for _, path := range []string{link, chain} {
		require.NoError(t, CheckWritable(path))
		require.NoError(t, WriteFile(path, nil, writeText(path)))
		content, err := os.ReadFile(target)
		require.NoError(t, err)
		require.Equal(t, path, string(content))
		info, err := os.Lstat(path)
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeSymlink)
	}

	missing := filepath.Join(dir, "missing.txt")
	require.NoError(t, os.Symlink(filepath.Join("nowhere", "out.txt"), missing))
	require.EqualError(
		t, CheckWritable(missing), "cannot write "+missing+": no such file or directory",
	)
	round := filepath.Join(dir, "round.txt")
	require.NoError(t, os.Symlink(round, round))
	const loops = ": too many levels of symbolic links"
	require.EqualError(t, CheckWritable(round), "cannot write "+round+loops)
	require.EqualError(t, WriteFile(round, nil, writeText("text")), "cannot write "+round+loops)
}

func TestWriteFileToStandardOutputAndDevices(t *testing.T) {
	var stdout bytes.Buffer
	require.NoError(t, WriteFile("-", &stdout, writeText("text")))
	require.Equal(t, "text", stdout.String())
	require.NoError(t, WriteFile(os.DevNull, nil, writeText("text")))
}

func TestUnwritableFilesAreFoundBeforehand(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing", "out.json")
	require.EqualError(
		t, CheckWritable(missing), "cannot write "+missing+": no such file or directory",
	)
	require.EqualError(
		t, WriteFile(missing, nil, writeText("")), "cannot write "+missing+": no such file or directory",
	)
	require.EqualError(t, CheckWritable(dir), "cannot write "+dir+": it is a directory")
	require.EqualError(
		t, WriteFile(dir, nil, writeText("")), "cannot write "+dir+": it is a directory",
	)

	good := filepath.Join(dir, "out.json")
	require.NoError(t, CheckWritable(good))
	require.NoFileExists(t, good, "the check must not make the file")
	require.NoError(t, CheckWritable(""))
	require.NoError(t, CheckWritable("-"))
}
