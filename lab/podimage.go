package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/contiv/contiv/lab/image"
	"github.com/contiv/contiv/lab/kube"
)

// Images that every host of a cluster has beside Image. Their tags are not "latest", so that a kubelet asks no registry for them.
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
	i.Files["/agnhost"] = filepath.Join(l.Kubernetes.Bin, "agnhost")
	i.Entrypoint, i.Cmd = []string{"/agnhost"}, []string{"pause"}
	return i, nil
}

// Import gives images to the containerd of every host.
func (l *Lab) Import(ctx context.Context, images ...*image.Image) error {
	for _, i := range images {
		f, err := os.CreateTemp(l.Dir, "image")
		if err != nil {
			return err
		}
		defer os.Remove(f.Name())
		if err := f.Close(); err != nil {
			return err
		}
		if err := writeImage(i, f.Name()); err != nil {
			return err
		}
		err = l.each(func(host int) error {
			return l.onHost(ctx, host, "ctr", "--namespace", "k8s.io", "images", "import", f.Name())
		})
		if err != nil {
			return fmt.Errorf("image %s: %w", i.Ref, err)
		}
	}
	return nil
}
