package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/lab/hostinit"
	"github.com/contiv/contiv/lab/image"
)

// PartDocker is a Docker engine of a host.
const PartDocker = "docker"

// Image is the name of the image that every engine of a lab has: small tools of this machine, and sleep to keep a container.
const Image = "contiv/box:latest"

// dockerSocket is where an engine serves on its host.
const dockerSocket = "/run/docker.sock"

// dockerArgs is the command line of an engine: all that it has lies below the host's folders and its own control group, and it
// touches no network but by drivers.
func (p *Plan) dockerArgs(host int) []string {
	args := []string{"dockerd", "--host", "unix://" + dockerSocket, "--data-root", hostinit.Inside + "/docker", "--exec-root", "/run/docker-exec",
		"--pidfile", "/run/docker.pid", "--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--userland-proxy=false",
		"--storage-driver=overlay2", "--exec-opt", "native.cgroupdriver=cgroupfs", "--cgroup-parent", "/" + p.cgroup(hostName(host))}
	if p.DockerVersion < 25 {
		args = append(args, "--oom-score-adjust=0") // to lower it needs CAP_SYS_RESOURCE; later engines have no such flag
	}
	return append(args, p.DockerFlags...)
}

// cgroup is the control group, in every hierarchy, of the containers of a host's engine.
func (p *Plan) cgroup(host string) string { return filepath.Join(p.cgroups(), host) }

// cgroups is the control group of all containers of the lab's engines.
func (p *Plan) cgroups() string { return "contiv-lab-" + p.Name }

// findDocker looks the engine up and notes which version it is.
func (l *Lab) findDocker() error {
	path, err := l.lookPath("dockerd")
	if err != nil {
		return errors.New("dockerd is not installed: apt-get install docker.io")
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", path, err)
	}
	major := regexp.MustCompile(`version v?(\d+)\.`).FindSubmatch(out)
	if major == nil {
		return nil // one that is built from source has none, and is new
	}
	l.DockerVersion, err = strconv.Atoi(string(major[1]))
	return err
}

// startDockers starts the engines and loads the image into each.
func (l *Lab) startDockers(ctx context.Context) error {
	file := filepath.Join(l.Dir, "box.tar")
	if err := writeImage(file); err != nil {
		return err
	}
	return l.each(func(host int) error {
		if err := l.startPart(host, PartDocker); err != nil {
			return err
		}
		if err := l.awaitPart(ctx, host, PartDocker); err != nil {
			return err
		}
		return l.loadImage(ctx, host, file)
	})
}

// loadImage gives an image to a host's engine.
func (l *Lab) loadImage(ctx context.Context, host int, file string) error {
	archive, err := os.Open(file)
	if err != nil {
		return err
	}
	defer archive.Close()
	client, err := l.dockerClient(host)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://docker/images/load?quiet=1", archive)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-tar")
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: load %s: %w", hostName(host), Image, err)
	}
	defer resp.Body.Close()
	if text := head(resp); resp.StatusCode != http.StatusOK || strings.Contains(text, `"error"`) {
		return fmt.Errorf("%s: load %s: %s: %s", hostName(host), Image, resp.Status, text)
	}
	return nil
}

// tools are the programs of Image that must be on this machine, and extras those that are taken if they are.
var (
	tools  = []string{"sh", "sleep", "cat", "ls", "echo", "env", "hostname", "ip", "ping", "true"}
	extras = []string{"bash", "curl", "nc", "ss", "grep", "head", "date"}
)

// writeImage writes Image into a file.
func writeImage(file string) error {
	programs := map[string]string{}
	for _, name := range append(tools[:len(tools):len(tools)], extras...) {
		path, err := exec.LookPath(name)
		if err == nil {
			programs[name] = path
		} else if !strings.Contains(strings.Join(extras, " "), name) {
			return fmt.Errorf("image %s: %w", Image, err)
		}
	}
	i, err := image.New(Image, []string{"sleep", "infinity"}, programs)
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = i.WriteTo(f)
	return errors.Join(err, f.Close())
}

// dockerClient speaks with a host's engine.
func (l *Lab) dockerClient(host int) (*http.Client, error) {
	pid, err := l.pid(hostName(host))
	if err != nil {
		return nil, err
	}
	socket := fmt.Sprintf("/proc/%d/root%s", pid, dockerSocket)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}, nil
}

// endDocker removes the control groups that engines have left behind.
func (l *Lab) endDocker() error {
	hierarchies, err := filepath.Glob("/sys/fs/cgroup/*/" + l.cgroups())
	if err != nil {
		return err
	}
	var errs []error
	for _, top := range append(hierarchies, "/sys/fs/cgroup/"+l.cgroups()) {
		errs = append(errs, removeGroups(top))
	}
	return errors.Join(errs...)
}

// removeGroups removes a control group and those below it. What runs there has been killed, but may not have ended yet.
func removeGroups(top string) error {
	var groups []string
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.IsDir() {
			groups = append(groups, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i := len(groups) - 1; i >= 0; i-- {
		for end := time.Now().Add(stopPatience); ; time.Sleep(pollPause) {
			err := os.Remove(groups[i])
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				break
			}
			if time.Now().After(end) {
				return err
			}
		}
	}
	return nil
}
