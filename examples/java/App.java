// Ferry in Java 17 or later: a model on tensors, a task on events, a language model.
//
//   ferry.jar                            is what `tools/dev package` writes to build/packages; the library is inside
//   ferry pack tasks/digits -o digits.fpk
//   java -cp ferry.jar App.java tasks/digits/digits.onnx digits.fpk tasks/pair/draft.flm < tasks/digits/images.f32
import ferry.Chat;
import ferry.ChatOptions;
import ferry.FerryException;
import ferry.LanguageModel;
import ferry.Model;
import ferry.Runtime;
import ferry.RuntimeOptions;
import ferry.Tensor;
import ferry.Type;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;

public final class App {
    static final int IMAGE = 256;  // bytes of 8 by 8 pixels from 0 to 1

    public static void main(String[] args) throws Exception {
        byte[] all = System.in.readAllBytes();
        ByteBuffer images = ByteBuffer.allocateDirect(all.length).put(all).flip();

        // A model: tensors over direct buffers, which the library reads and writes where they are.
        try (Model model = Model.open(Path.of(args[0]))) {
            System.out.println("input " + model.inputs().get(0));
            Tensor image = Tensor.of(Type.F32, images.slice(0, IMAGE), 1, 1, 8, 8);
            Tensor prob = model.run(Map.of("image", image)).get("prob");
            int digit = 0;
            for (int i = 1; i < 10; ++i) if (prob.floats().get(i) > prob.floats().get(digit)) digit = i;
            System.out.println("digit " + digit);
            model.session().runAsync(Map.of("image", Tensor.of(Type.F32, images.slice(0, 10 * IMAGE), 10, 1, 8, 8)), null)
                .thenAccept(out -> System.out.println("batch " + out.get("prob"))).get();
            model.run(Map.of("picture", image));
        } catch (FerryException error) {
            System.out.println(error.name() + " " + error.code() + " " + error.getMessage());
        }

        // A task: events in, results out, with no server at all. Closing finishes what was sent.
        try (Runtime runtime = new Runtime(new RuntimeOptions(), json -> System.out.println("result " + json))) {
            runtime.openTask(Path.of(args[1]));
            runtime.send("{\"id\":\"page_enter\",\"page\":\"scan\"}");
            StringBuilder pixels = new StringBuilder();
            Tensor image = Tensor.of(Type.F32, images.slice(0, IMAGE), 64);
            for (int i = 0; i < 64; ++i) pixels.append(i == 0 ? "" : ",").append(Math.round(image.floats().get(i) * 16));
            runtime.send("{\"id\":\"image\",\"page\":\"scan\",\"data\":{\"image\":1,\"pixels\":[" + pixels + "]}}");

            // A language model: a text as it comes.
            try (LanguageModel model = runtime.languageModel(args[2]); Chat chat = model.chat(new ChatOptions().maxNew(16))) {
                StringBuilder text = new StringBuilder("My dear sir,");
                for (Chat.Piece piece : chat.generate(text.toString())) text.append(piece.text());
                System.out.println(text.toString().replace('\n', ' '));
            }
        }
    }
}
