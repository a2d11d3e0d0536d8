# A template: a release puts in its number, without the v, and the checksum of its sources.
class Tribunal < Formula
  desc "Statistical verdicts on AI agents"
  homepage "https://github.com/tribunal-dev/tribunal"
  url "https://github.com/tribunal-dev/tribunal/archive/refs/tags/vVERSION.tar.gz"
  sha256 "SHA256"
  license "Apache-2.0"
  head "https://github.com/tribunal-dev/tribunal.git", branch: "main"

  depends_on "go" => :build

  def install
    ENV["CGO_ENABLED"] = "0"
    # The sources of a release come without the tag that Go would ask for the version.
    ldflags = %w[-s -w]
    ldflags << "-X github.com/tribunal-dev/tribunal/cmd/internal/cli.release=v#{version}" unless build.head?
    system "go", "build", *std_go_args(ldflags: ldflags.join(" ")), "./cmd/tribunal"
    system "go", "build", *std_go_args(ldflags: ldflags.join(" "), output: bin/"tribunal-fleet"), "./cmd/tribunal-fleet"
    generate_completions_from_executable(bin/"tribunal", "completion")
    system bin/"tribunal", "man", "man1"
    man1.install Dir["man1/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tribunal version") unless build.head?
    system bin/"tribunal", "init", testpath/"demo"
    assert_match "PASS", shell_output("#{bin}/tribunal run #{testpath}/demo")
  end
end
