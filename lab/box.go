// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/contiv/contiv/deploy/image"
)

// Image is the name of the image in every engine of a lab: small tools of this machine, and sleep to keep a container.
const Image = "contiv/box:latest"

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

// tools are the programs of Image that must be on this machine, and extras are optional ones.
var (
	tools  = []string{"sh", "sleep", "cat", "ls", "echo", "env", "hostname", "ip", "ping", "true"}
	extras = []string{"bash", "curl", "nc", "ss", "grep", "head", "tail", "date", "wget", "dig", "nslookup", "getent", "timeout", "seq", "sort", "wc", "tr", "cut", "sed",
		"mkdir", "rm", "touch", "stat", "base64", "ps", "kill", "nsenter"}
)

// box is Image.
func box() (*image.Image, error) {
	programs := map[string]string{}
	for _, name := range append(tools[:len(tools):len(tools)], extras...) {
		path, err := exec.LookPath(name)
		if err == nil {
			programs[name] = path
		} else if slices.Contains(tools, name) {
			return nil, fmt.Errorf("image %s: %w", Image, err)
		}
	}
	return image.New(Image, []string{"sleep", "infinity"}, programs)
}

// writeImage writes an image into a file.
func writeImage(i *image.Image, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = i.WriteTo(f)
	return errors.Join(err, f.Close())
}
