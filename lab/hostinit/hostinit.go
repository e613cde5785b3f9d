// SPDX-License-Identifier: Apache-2.0

// Package hostinit is process 1 of a lab host: it gives the host a file system view of its own, starts and stops the host's parts on
// request, and reaps orphans. When it dies the kernel ends all processes of the host.
package hostinit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Inside is the host's path of its own directory.
const Inside = "/run/lab"

// Socket is the name of the control socket in the host's directory.
const Socket = "control.sock"

// Part is one program of a host and its state.
type Part struct {
	Name    string    `json:"name"`
	PID     int       `json:"pid,omitempty"` // in the host's own numbering; 0: it does not run
	Since   time.Time `json:"since"`         // when it started, or ended
	Outcome string    `json:"outcome,omitempty"`
	Starts  int       `json:"starts"`
}

// Running reports whether the part runs.
func (p Part) Running() bool { return p.PID != 0 }

// Request is a request of Call.
type Request struct {
	Op     string   `json:"op"` // "start", "signal" (and wait for the end), "list"
	Part   string   `json:"part,omitempty"`
	Args   []string `json:"args,omitempty"`   // of start; empty: the same as before
	Env    []string `json:"env,omitempty"`    // of start: NAME=VALUE, before those of process 1
	Groups []string `json:"groups,omitempty"` // of start: directories of control groups that the part is moved into; none: it stays in those of process 1
	Signal int      `json:"signal,omitempty"`
	Wait   int      `json:"wait,omitempty"` // of signal: milliseconds
}

// Reply is the answer.
type Reply struct {
	Error string `json:"error,omitempty"`
	Parts []Part `json:"parts,omitempty"`
}

// Call sends a request to the host whose directory is dir and waits for the answer.
func Call(dir string, r Request) ([]Part, error) {
	conn, err := net.Dial("unix", filepath.Join(dir, Socket))
	if err != nil {
		return nil, fmt.Errorf("the host's process 1 does not answer: %w", err)
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(r); err != nil {
		return nil, err
	}
	var reply Reply
	if err := json.NewDecoder(conn).Decode(&reply); err != nil {
		return nil, fmt.Errorf("the host's process 1: %w", err)
	}
	if reply.Error != "" {
		return nil, errors.New(reply.Error)
	}
	return reply.Parts, nil
}

// Run is process 1 of a host: dir is the host's directory, name its host name. It returns only if the host cannot be set up.
func Run(dir, name string) error {
	if os.Getpid() != 1 {
		return errors.New("this is not process 1 of a lab host; contiv lab up starts it")
	}
	// The socket is in the directory, which the mounts below may hide.
	socket := filepath.Join(dir, Socket)
	_ = os.Remove(socket)
	l, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	if err := mounts(dir); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(name)); err != nil {
		return fmt.Errorf("set host name %s: %w", name, err)
	}
	s := &supervisor{parts: map[string]*part{}}
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)
	// Caught and dropped, not ignored: parts would inherit that and could not be stopped.
	signal.Notify(make(chan os.Signal, 1), unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	go func() {
		for range children {
			s.reap()
		}
	}()
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go s.serve(conn)
	}
}

// mounts gives the host its own /proc, /sys and /run; the rest of the file system is the machine's.
func mounts(dir string) error {
	steps := []struct {
		what string
		do   func() error
	}{
		{"separate the mounts", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{"/proc", func() error { return unix.Mount("proc", "/proc", "proc", 0, "") }},
		{"/run", func() error { return privateRun(dir) }},
		{"/sys", privateSys},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
	}
	return nil
}

func privateRun(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, "mode=755"); err != nil {
		return err
	}
	for _, d := range []string{Inside, "/run/openvswitch", "/run/netns", "/run/contiv", "/run/lock", "/run/docker/plugins"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), Inside, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind %s: %w", dir, err)
	}
	// Network namespaces made on the host are mounts below /run/netns that all of its processes must see.
	return unix.Mount("", "/run", "", unix.MS_REC|unix.MS_SHARED, "")
}

// privateSys shows the interfaces of the host's network namespace and keeps the machine's cgroups.
func privateSys() error {
	const cgroup, aside = "/sys/fs/cgroup", "/run/cgroup"
	if err := os.MkdirAll(aside, 0o755); err != nil {
		return err
	}
	kept := unix.Mount(cgroup, aside, "", unix.MS_BIND|unix.MS_REC, "") == nil
	if err := unix.Mount("sysfs", "/sys", "sysfs", 0, ""); err != nil {
		return err
	}
	if kept {
		return unix.Mount(aside, cgroup, "", unix.MS_BIND|unix.MS_REC, "")
	}
	return nil
}

// supervisor starts, ends and watches the parts.
type supervisor struct {
	mu    sync.Mutex
	parts map[string]*part
}

type part struct {
	Part
	args   []string
	env    []string
	groups []string
	ended  chan struct{} // closed when the running process ends
}

func (s *supervisor) serve(conn net.Conn) {
	defer conn.Close()
	var r Request
	if err := json.NewDecoder(conn).Decode(&r); err != nil {
		return
	}
	var reply Reply
	if err := s.handle(r); err != nil {
		reply.Error = err.Error()
	}
	s.mu.Lock()
	for _, p := range s.parts {
		reply.Parts = append(reply.Parts, p.Part)
	}
	s.mu.Unlock()
	_ = json.NewEncoder(conn).Encode(reply) // the caller may be gone
}

func (s *supervisor) handle(r Request) error {
	switch r.Op {
	case "list":
		return nil
	case "start":
		return s.start(r)
	case "signal":
		return s.signal(r.Part, syscall.Signal(r.Signal), time.Duration(r.Wait)*time.Millisecond)
	}
	return fmt.Errorf("unknown request %q", r.Op)
}

// start starts a part unless it runs; its output is appended to PART.log in the host's directory.
func (s *supervisor) start(r Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.parts[r.Part]
	if p == nil {
		p = &part{Part: Part{Name: r.Part}}
	}
	if p.Running() {
		return nil
	}
	if len(r.Args) > 0 {
		p.args, p.env, p.groups = r.Args, r.Env, r.Groups
	}
	if len(p.args) == 0 {
		return fmt.Errorf("%s was never started here", r.Part)
	}
	log, err := os.OpenFile(filepath.Join(Inside, r.Part+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	// Not os/exec: the reaper collects every child, and holds the same lock as we do here.
	pid, err := syscall.ForkExec(p.args[0], p.args, &syscall.ProcAttr{
		Dir: "/", Env: slices.Concat(p.env, os.Environ()), Files: []uintptr{null.Fd(), log.Fd(), log.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return fmt.Errorf("start %s: %w", p.args[0], err)
	}
	p.PID, p.Since, p.Outcome, p.ended = pid, time.Now(), "", make(chan struct{})
	p.Starts++
	s.parts[r.Part] = p
	for _, dir := range p.groups {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
			return fmt.Errorf("control group of %s: %w", r.Part, err)
		}
	}
	return nil
}

// signal sends a signal to a part and waits for its end. A part that does not run has ended.
func (s *supervisor) signal(name string, sig syscall.Signal, patience time.Duration) error {
	s.mu.Lock()
	p := s.parts[name]
	if p == nil {
		s.mu.Unlock()
		return fmt.Errorf("%s was never started here", name)
	}
	if !p.Running() {
		s.mu.Unlock()
		return nil
	}
	ended, err := p.ended, syscall.Kill(p.PID, sig)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("signal %s: %w", name, err)
	}
	if patience == 0 {
		return nil
	}
	select {
	case <-ended:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s did not end within %s of %s", name, patience, sig)
	}
}

// reap collects every child that has ended, parts and orphans alike.
func (s *supervisor) reap() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		for _, p := range s.parts {
			if p.PID == pid {
				p.PID, p.Since, p.Outcome = 0, time.Now(), outcome(status)
				close(p.ended)
			}
		}
	}
}

func outcome(s syscall.WaitStatus) string {
	if s.Signaled() {
		return s.Signal().String()
	}
	return fmt.Sprintf("exit code %d", s.ExitStatus())
}
