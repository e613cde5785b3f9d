// SPDX-License-Identifier: Apache-2.0

package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Media types of the OCI image specification.
const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor names content by its digest (OCI image specification, "Content Descriptors").
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// platform is what an image runs on.
type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// layout is an archive of an image layout (OCI image specification, "Image Layout").
type layout struct {
	archive *tar.Writer
	written map[string]bool
}

// WriteIndex writes images of several architectures as one: an archive in the format of an OCI image layout, for ctr images import, skopeo
// and podman load. Each image has its own architecture. The same images of the same time give the same bytes.
func WriteIndex(w io.Writer, ref string, created time.Time, images map[string]*Image) error {
	l := &layout{tar.NewWriter(w), map[string]bool{}}
	if err := add(l.archive, "oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)); err != nil {
		return err
	}
	var manifests []descriptor
	for _, arch := range []string{"amd64", "arm64"} {
		i := images[arch]
		if i == nil {
			continue
		}
		d, err := l.image(arch, created, i)
		if err != nil {
			return fmt.Errorf("image %s for %s: %w", ref, arch, err)
		}
		manifests = append(manifests, d)
	}
	inner, err := l.json(indexType, map[string]any{"schemaVersion": 2, "mediaType": indexType, "manifests": manifests})
	if err != nil {
		return err
	}
	inner.Annotations = map[string]string{"org.opencontainers.image.ref.name": ref, "io.containerd.image.name": "docker.io/" + ref}
	text, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": indexType, "manifests": []descriptor{inner}})
	if err != nil {
		return err
	}
	if err := add(l.archive, "index.json", 0o644, text); err != nil {
		return err
	}
	return l.archive.Close()
}

// image writes the content of an image for one architecture.
func (l *layout) image(arch string, created time.Time, i *Image) (descriptor, error) {
	layer, err := i.layer()
	if err != nil {
		return descriptor{}, err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(layer); err != nil {
		return descriptor{}, err
	}
	if err := z.Close(); err != nil {
		return descriptor{}, err
	}
	content, err := l.blob(layerType, packed.Bytes())
	if err != nil {
		return descriptor{}, err
	}
	config, err := l.json(configType, i.config(arch, created.UTC().Format(time.RFC3339), layer))
	if err != nil {
		return descriptor{}, err
	}
	out, err := l.json(manifestType, map[string]any{"schemaVersion": 2, "mediaType": manifestType, "config": config, "layers": []descriptor{content}})
	out.Platform = &platform{arch, "linux"}
	return out, err
}

// json writes a value as JSON.
func (l *layout) json(mediaType string, value any) (descriptor, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return descriptor{}, err
	}
	return l.blob(mediaType, text)
}

// blob writes content once, under its digest.
func (l *layout) blob(mediaType string, text []byte) (descriptor, error) {
	sum := sha256.Sum256(text)
	name := hex.EncodeToString(sum[:])
	d := descriptor{MediaType: mediaType, Digest: "sha256:" + name, Size: len(text)}
	if l.written[name] {
		return d, nil
	}
	l.written[name] = true
	return d, add(l.archive, "blobs/sha256/"+name, 0o644, text)
}
