package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/contiv/contiv/test/bench/report"
)

// executions is how often each program is executed for its median.
const executions = 201

// floors are programs that netctl cannot be quicker than: one that does nothing, one that receives the list over a connection and
// does nothing with it, and one that gets it as most Go programs would. Their argument is netmaster's address.
var floors = []struct{ what, source string }{
	{"a Go program that does nothing", "package main\n\nfunc main() {}\n"},
	{"one exchange over TCP, without net/http", `package main

import (
	"fmt"
	"io"
	"net"
	"os"
)

func main() {
	c, err := net.Dial("tcp", os.Args[1])
	if err == nil {
		_, err = fmt.Fprintf(c, "GET /api/v1/networks/ HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\nConnection: close\r\n\r\n", os.Args[1])
	}
	if err == nil {
		_, err = io.Copy(io.Discard, c)
	}
	if err != nil {
		panic(err)
	}
}
`},
	{"one http.Get", `package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	answer, err := http.Get("http://" + os.Args[1] + "/api/v1/networks/")
	if err == nil {
		_, err = io.Copy(io.Discard, answer.Body)
	}
	if err != nil {
		panic(err)
	}
}
`},
}

// built compiles the source of a program into dir and returns its path. As make does, it leaves a copy of what was linked.
func built(ctx context.Context, dir, name, source string) (string, error) {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path+".go", []byte(source), 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path+".linked", path+".go")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	if out, err := exec.CommandContext(ctx, "install", path+".linked", path).CombinedOutput(); err != nil {
		return "", fmt.Errorf("copy %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// listing compares `netctl network ls` of a thousand networks with executing /bin/true, and so its floors and netctl's own start.
// They are executed in turn.
func listing(ctx context.Context, t *report.Table, dir, netctl, address string) error {
	type program struct {
		what string
		line []string
	}
	programs := []program{{"", []string{"/bin/true"}}}
	for i, f := range floors {
		path, err := built(ctx, dir, fmt.Sprintf("floor%d", i), f.source)
		if err != nil {
			return err
		}
		programs = append(programs, program{f.what, []string{path, address}})
	}
	programs = append(programs, program{"netctl's start (-h)", []string{netctl, "version", "-h"}},
		program{"netctl network ls of 1,000", []string{netctl, "--netmaster", "http://" + address, "network", "ls"}})
	wall, cpu := make([][]time.Duration, len(programs)), make([][]time.Duration, len(programs))
	for range executions {
		for i, p := range programs {
			w, c, err := executed(ctx, p.line)
			if err != nil {
				return err
			}
			wall[i], cpu[i] = append(wall[i], w), append(cpu[i], c)
		}
	}
	for _, measure := range []struct {
		what  string
		taken [][]time.Duration
	}{{"time", wall}, {"CPU time", cpu}} {
		peer := report.Median(measure.taken[0])
		for i, p := range programs[1:] {
			own := report.Median(measure.taken[i+1])
			row := report.Row{What: p.what + " against /bin/true, " + measure.what, Ours: report.Millis(own), Peer: report.Millis(peer),
				Ratio: float64(own) / float64(peer), Target: "-", Met: true}
			if i == len(programs)-2 {
				row.Target, row.Met = "<= 5", row.Ratio <= 5
			}
			t.Add(row)
		}
	}
	return nil
}

// executed is how long a program takes, from before its start until after its end, and its CPU time.
func executed(ctx context.Context, line []string) (wall, cpu time.Duration, err error) {
	start := time.Now()
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	if out, err := cmd.Output(); err != nil {
		return 0, 0, fmt.Errorf("%v: %w\n%s", line, err, out)
	}
	wall = time.Since(start)
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		cpu = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return wall, cpu, nil
}
