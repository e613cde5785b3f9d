// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"github.com/contiv/contiv/deploy/image"
	"github.com/contiv/contiv/lab/kube"
)

// Images that every host of a cluster has in addition to Image. Their tags are not "latest", so that a kubelet pulls them from no registry.
const (
	PauseImage   = "contiv/pause:lab"   // of the process that keeps a pod's namespaces
	AgnhostImage = "contiv/agnhost:lab" // Kubernetes' test server and client, beside the tools of Image
)

// podImages are the images of a cluster.
func (l *Lab) podImages() ([]*image.Image, error) {
	plain, err := box()
	if err != nil {
		return nil, err
	}
	pause, err := image.New(PauseImage, []string{"sleep", "infinity"}, map[string]string{"sleep": plain.Files["/bin/sleep"]})
	if err != nil {
		return nil, err
	}
	agnhost, err := l.Agnhost(AgnhostImage)
	if err != nil {
		return nil, err
	}
	all := []*image.Image{plain, pause, agnhost}
	if l.Kubernetes.CoreDNS {
		all = append(all, &image.Image{Ref: kube.CoreDNSImage, Entrypoint: []string{"/coredns"},
			Files: map[string]string{"/coredns": filepath.Join(l.Kubernetes.Bin, "coredns")}})
	}
	return all, nil
}

// Agnhost returns AgnhostImage under these names.
func (l *Lab) Agnhost(ref string, more ...string) (*image.Image, error) {
	i, err := box()
	if err != nil {
		return nil, err
	}
	i.Ref, i.Tags = ref, more
	for _, name := range []string{"agnhost", "coredns", "localhost.crt", "localhost.key"} {
		i.Files["/"+name] = filepath.Join(l.Kubernetes.Bin, name)
	}
	i.Entrypoint, i.Cmd = []string{"/agnhost"}, []string{"pause"}
	return i, nil
}

// Import loads images into the containerd of every host.
func (l *Lab) Import(ctx context.Context, images ...*image.Image) error {
	for _, i := range images {
		var archive bytes.Buffer
		if _, err := i.WriteTo(&archive); err != nil {
			return err
		}
		if err := l.ImportArchive(ctx, i.Ref, archive.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// ImportArchive loads an archive of images, named in errors, into the containerd of every host.
func (l *Lab) ImportArchive(ctx context.Context, called string, archive []byte) error {
	return l.each(func(host int) error {
		// Not from a file: hosts do not see all directories of the machine.
		cmd, err := l.Command(ctx, hostName(host), "ctr", "--namespace", "k8s.io", "images", "import", "-")
		if err != nil {
			return err
		}
		cmd.Stdin = bytes.NewReader(archive)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: import image %s: %w: %s", hostName(host), called, err, bytes.TrimSpace(out))
		}
		return nil
	})
}
