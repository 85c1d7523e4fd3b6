// Ferry in Kotlin, by the package for Java: a model on tensors, a task on events, a language model.
//
//   kotlinc -cp ferry.jar -include-runtime -d app.jar app.kt      Debian's kotlin; ferry.jar from `tools/dev package`
//   ferry pack tasks/digits -o digits.fpk
//   java -cp app.jar:ferry.jar AppKt tasks/digits/digits.onnx digits.fpk tasks/pair/draft.flm < tasks/digits/images.f32
import ferry.ChatOptions
import ferry.FerryException
import ferry.Model
import ferry.Runtime
import ferry.RuntimeOptions
import ferry.Tensor
import ferry.Type
import java.nio.ByteBuffer
import java.nio.file.Paths
import java.util.function.Consumer

const val IMAGE = 256  // bytes of 8 by 8 pixels from 0 to 1

fun <T : AutoCloseable> using(thing: T, work: (T) -> Unit) = try { work(thing) } finally { thing.close() }

fun main(args: Array<String>) {
    val all = System.`in`.readBytes()
    val images = ByteBuffer.allocateDirect(all.size)
    images.put(all).flip()

    // A model: tensors over direct buffers, which the library reads and writes where they are.
    try {
        using(Model.open(Paths.get(args[0]))) { model ->
            println("input ${model.inputs()[0]}")
            val image = Tensor.of(Type.F32, images.slice(0, IMAGE), 1, 1, 8, 8)
            val prob = model.run(mapOf("image" to image))["prob"]!!.floats()
            println("digit ${(0 until 10).maxBy { prob.get(it) }}")
            val ten = Tensor.of(Type.F32, images.slice(0, 10 * IMAGE), 10, 1, 8, 8)
            println("batch ${model.session().runAsync(mapOf("image" to ten), null).get()["prob"]}")
            model.run(mapOf("picture" to image))
        }
    } catch (error: FerryException) {
        println("${error.name()} ${error.code()} ${error.message}")
    }

    // A task: events in, results out, with no server at all. Closing finishes what was sent.
    using(Runtime(RuntimeOptions(), Consumer { println("result $it") })) { runtime ->
        runtime.openTask(Paths.get(args[1]))
        runtime.send("""{"id":"page_enter","page":"scan"}""")
        val image = Tensor.of(Type.F32, images.slice(0, IMAGE), 64).floats()
        val pixels = (0 until 64).map { Math.round(image.get(it) * 16) }
        runtime.send("""{"id":"image","page":"scan","data":{"image":1,"pixels":$pixels}}""")

        // A language model: a text as it comes.
        using(runtime.languageModel(args[2]).chat(ChatOptions().maxNew(16))) { chat ->
            val text = StringBuilder("My dear sir,")
            for (piece in chat.generate(text.toString())) text.append(piece.text())
            println(text.toString().replace('\n', ' '))
        }
    }
}
