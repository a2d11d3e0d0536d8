#!/usr/bin/env bash
# Apache Commons Math 3.6.1, BinomialTest: two-sided p-values where the observed count is the likeliest.
#
# Guessed: 1. Seen: from both ends the outcomes at most as likely are added up, and the observed one is added from each
# end: p is 1.246 for 5 of 10 at a rate of a half, and 1.9 for 1 of 1 at 0.9. Nothing bounds it. Outcomes beside the middle
# are right. The interval of Clopper and Pearson of none or of all is refused as one with zero degrees of freedom, where
# its limits are 0 and 1 - .025^(1/n).
set -euo pipefail
command -v javac >/dev/null || { echo "this needs a compiler of Java"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download libcommons-math3-java=3.6.1-3 >apt.log 2>&1 || { cat apt.log; exit 1; }
dpkg-deb -x libcommons-math3-java_*.deb .
cat >Ask.java <<'JAVA'
import org.apache.commons.math3.stat.inference.AlternativeHypothesis;
import org.apache.commons.math3.stat.inference.BinomialTest;
import org.apache.commons.math3.stat.interval.IntervalUtils;

class Ask {
  public static void main(String[] none) {
    int[][] counts = {{5, 10}, {1, 1}, {9, 10}, {3, 10}};
    double[] rates = {.5, .9, .9, .5};
    for (int i = 0; i < rates.length; i++) {
      double p = new BinomialTest().binomialTest(counts[i][1], counts[i][0], rates[i], AlternativeHypothesis.TWO_SIDED);
      System.out.printf("%d of %d at %.1f: p = %.5f%n", counts[i][0], counts[i][1], rates[i], p);
    }
    for (int n : new int[] {0, 10}) {
      try {
        System.out.println(IntervalUtils.getClopperPearsonInterval(10, n, .95));
      } catch (RuntimeException e) {
        System.out.println(n + " of 10: " + e.getMessage());
      }
    }
  }
}
JAVA
javac -cp usr/share/java/commons-math3.jar Ask.java
java -cp usr/share/java/commons-math3.jar:. Ask | tee seen

# By whole numbers: 1, 1, 1 and 352/1024.
diff - seen <<'SEEN' || { echo "it does something else now"; exit 1; }
5 of 10 at 0.5: p = 1.24609
1 of 1 at 0.9: p = 1.90000
9 of 10 at 0.9: p = 1.38742
3 of 10 at 0.5: p = 0.34375
0 of 10: degrees of freedom (0)
10 of 10: degrees of freedom (0)
SEEN
