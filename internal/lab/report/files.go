package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteFile writes a file as a whole or not at all: beside the target, then renamed over it. Where
// path is a symbolic link the target is what it points to, and the link stays. A target that is no
// regular file, such as /dev/null or a pipe, is written to directly. The path "-" means standard
// output.
func WriteFile(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "-" {
		return write(stdout)
	}
	target, device, err := targetOf(path)
	if err != nil {
		return err
	}
	written, flags := temporaryName(target), os.O_WRONLY|os.O_CREATE|os.O_EXCL
	if device {
		written, flags = target, os.O_WRONLY
	}
	file, err := os.OpenFile(written, flags, 0o666)
	if err != nil {
		return CannotWrite(path, err)
	}
	err = errors.Join(write(file), file.Close())
	if !device && err == nil {
		err = os.Rename(written, target)
	}
	if err != nil {
		if !device {
			os.Remove(written)
		}
		return CannotWrite(path, err)
	}
	return nil
}

// CheckWritable finds out before a long run whether WriteFile will be able to write path.
func CheckWritable(path string) error {
	if path == "" || path == "-" {
		return nil
	}
	target, device, err := targetOf(path)
	if err != nil || device {
		return err
	}
	temporary := temporaryName(target)
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return CannotWrite(path, err)
	}
	return errors.Join(file.Close(), os.Remove(temporary))
}

// targetOf returns the file to replace, or to write to if it is a device: if it exists and is no
// regular file.
func targetOf(path string) (target string, device bool, err error) {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return "", false, CannotWrite(path, errors.New("it is a directory"))
	case err == nil && !info.Mode().IsRegular():
		return path, true, nil
	case err != nil && !errors.Is(err, os.ErrNotExist): // links that go round, for one
		return "", false, CannotWrite(path, err)
	}
	return linked(path), false, nil
}

// linked returns what a symbolic link points to in the end, also if that does not exist yet, and
// any other path as it is. The links do not go round.
func linked(path string) string {
	for {
		to, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
}

// ReadFile reads a file of at most a size: what has no end, as /dev/zero, is an error.
func ReadFile(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(content)) > most {
		err = fmt.Errorf("%s: it is longer than %d bytes", path, most)
	}
	return content, err
}

func temporaryName(path string) string {
	return filepath.Join(
		filepath.Dir(path), fmt.Sprintf(".%s.%d.tmp", filepath.Base(path), os.Getpid()),
	)
}

func CannotWrite(path string, err error) error {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err // its path is the temporary one, which means nothing to the user
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}
