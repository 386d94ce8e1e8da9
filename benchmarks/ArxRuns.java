import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;

/**
 * k-anonymity of a file by ARX, from file to file, again and again in one process.
 *
 * Arguments: folder with adult.csv and a hierarchy NAME.csv for each column, suppression limit, rounds, columns.
 * Prints of each round "round", the seconds of the processor, and the level of each column. Only its own
 * thread counts: what Java compiles and clears away beside it is left out.
 */
public class ArxRuns {

    private static final int K = 5;

    public static void main(String[] arguments) throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        int rounds = Integer.parseInt(arguments[2]);
        for (int round = 0; round < rounds; round++) {
            long began = threads.getCurrentThreadCpuTime();
            ARXResult result = anonymized(arguments);
            double seconds = (threads.getCurrentThreadCpuTime() - began) / 1e9;
            System.out.println("round " + seconds + told(result, arguments));
        }
    }

    private static ARXResult anonymized(String[] arguments) throws Exception {
        File folder = new File(arguments[0]);
        Data data = Data.create(new File(folder, "adult.csv"), StandardCharsets.UTF_8, ';');
        for (int i = 3; i < arguments.length; i++) {
            File lines = new File(folder, arguments[i] + ".csv");
            data.getDefinition().setAttributeType(arguments[i], Hierarchy.create(lines, StandardCharsets.UTF_8, ';'));
        }
        ARXConfiguration wanted = ARXConfiguration.create();
        wanted.addPrivacyModel(new KAnonymity(K));
        wanted.setSuppressionLimit(Double.parseDouble(arguments[1]));
        wanted.setQualityModel(Metric.createLossMetric(AggregateFunction.ARITHMETIC_MEAN));
        ARXResult result = new ARXAnonymizer().anonymize(data, wanted);
        result.getOutput(false).save(new File(folder, "arx-out.csv"), ';');
        return result;
    }

    private static String told(ARXResult result, String[] arguments) {
        StringBuilder levels = new StringBuilder();
        for (int i = 3; i < arguments.length; i++) {
            levels.append(' ').append(result.getGlobalOptimum().getGeneralization(arguments[i]));
        }
        return levels.toString();
    }
}
