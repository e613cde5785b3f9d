// SPDX-License-Identifier: Apache-2.0

// Package hostlog reads the last lines of the logs of this host: of the own daemon from memory, of the other daemon and of Open vSwitch from
// files, so that a daemon that has ended is known by what it has left.
package hostlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/sanitize"
)

const (
	maxLines = 2000
	maxRead  = 1 << 20 // bytes of a file, from its end
	maxLine  = 8 << 10 // bytes
)

// Logs are the logs of a host as one of its daemons reads them. Its methods are safe for concurrent use.
type Logs struct {
	Part   string          // the own daemon
	Recent *logging.Recent // its lines
	Dir    string          // where both daemons leave their last lines; "": they do not
	Switch string          // directory of the sockets of Open vSwitch; "": its logs are not read

	mu     sync.Mutex
	looked map[string]errorOf
}

// errorOf is the last error in a file of a size.
type errorOf struct {
	size int64
	text string
}

// Read returns the lines of a part after those of an earlier answer, or the last ones for "". most bounds them; 0 is 2,000.
func (l *Logs) Read(part, after string, most int) (out model.LogLines, err error) {
	if most <= 0 || most > maxLines {
		most = maxLines
	}
	out = model.LogLines{Part: part, Lines: []string{}}
	var raw []string
	if part == l.Part && l.Recent != nil {
		out.From = part
		var next uint64
		raw, next = l.Recent.After(position(after, "m"), most)
		out.Next = "m" + strconv.FormatUint(next, 10)
	} else {
		path, err := l.file(part)
		if err != nil {
			return out, err
		}
		if out.From = path; part == model.LogNetplugin || part == model.LogNetmaster {
			out.Ended = true
		}
		next := uint64(0)
		if raw, next, err = tail(path, position(after, "f"), most); err != nil {
			return out, err
		}
		out.Next = "f" + strconv.FormatUint(next, 10)
	}
	for _, line := range raw {
		out.Lines = append(out.Lines, sanitize.Line(strings.TrimRight(line, "\n"), maxLine))
	}
	return out, nil
}

// position returns the position in an answer's Next; 0 if it is of another kind.
func position(next, kind string) uint64 {
	text, ok := strings.CutPrefix(next, kind)
	if !ok {
		return 0
	}
	n, _ := strconv.ParseUint(text, 10, 64) // of another program: from the start
	return n
}

// file returns the path of the log of a part.
func (l *Logs) file(part string) (string, error) {
	switch part {
	case model.LogNetplugin, model.LogNetmaster:
		if l.Dir == "" {
			return "", model.Errorf(model.CodeNotFound, "of", "%s leaves no lines here: --log-dir is empty", part)
		}
		return logging.TailFile(l.Dir, part), nil
	case model.LogVSwitchd, model.LogOVSDB:
		if l.Switch == "" {
			return "", model.Errorf(model.CodeNotFound, "of", "this daemon does not read the logs of Open vSwitch").Try("ask the host's agent")
		}
		return switchLog(l.Switch, part)
	}
	return "", model.Errorf(model.CodeInvalid, "of", "of: got %.40q, want one of %s", part, strings.Join(model.LogParts(), ", "))
}

// switchLog returns the file to which a daemon of Open vSwitch writes its log: of those that it has open, or else where packages have it.
func switchLog(rundir, part string) (string, error) {
	text, err := os.ReadFile(filepath.Join(rundir, part+".pid"))
	if pid, odd := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && odd == nil {
		open := fmt.Sprintf("/proc/%d/fd", pid)
		list, _ := os.ReadDir(open) // none: the process has ended
		for _, fd := range list {
			path, err := os.Readlink(filepath.Join(open, fd.Name()))
			if info, failed := os.Stat(path); err == nil && failed == nil && info.Mode().IsRegular() && filepath.Ext(path) == ".log" {
				return path, nil
			}
		}
	}
	return filepath.Join("/var/log/openvswitch", part+".log"), nil
}

// tail returns the lines of a file after a position, or the last ones for 0, and the position of its end. A file that is shorter than the
// position has begun again.
func tail(path string, after uint64, most int) (lines []string, next uint64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, model.Errorf(model.CodeNotFound, "of", "there is no log in %s", path).Because(err).Try("the daemon may never have run on this host, or log elsewhere (journalctl)")
	}
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	size := uint64(info.Size())
	from := after
	if after == 0 || after > size || size-after > maxRead {
		from = size - min(size, maxRead)
	}
	text := make([]byte, size-from)
	n, err := f.ReadAt(text, int64(from))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	text = text[:n]
	end := bytes.LastIndexByte(text, '\n') + 1 // a line that is being written comes with the next answer
	if text = text[:end]; from > 0 && from != after {
		_, text, _ = bytes.Cut(text, []byte("\n")) // the first one is cut
	}
	lines = slices.Collect(strings.Lines(string(text)))
	return lines[max(0, len(lines)-most):], from + uint64(end), nil
}

// faults match lines with the reason for the end of a daemon.
var faults = regexp.MustCompile(`level=ERROR|"level":"ERROR"|^panic: |^fatal error: `)

// LastError returns the last line of the log of the other daemon of this host that is an error, "" if it has none. It reads the file only when
// it has changed.
func (l *Logs) LastError() string {
	other := model.LogNetmaster
	if l.Part == model.LogNetmaster {
		other = model.LogNetplugin
	}
	path, err := l.file(other)
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if was, ok := l.looked[path]; ok && was.size == info.Size() {
		return was.text
	}
	lines, _, err := tail(path, 0, maxLines)
	if err != nil {
		return ""
	}
	found := errorOf{size: info.Size()}
	for _, line := range slices.Backward(lines) {
		if faults.MatchString(line) {
			found.text = sanitize.Line(strings.TrimSpace(line), 300)
			break
		}
	}
	if l.looked == nil {
		l.looked = map[string]errorOf{}
	}
	l.looked[path] = found
	return found.text
}
