// ferry quantize.
#include "tools/ferry/engine/quantize.h"

namespace ferry::cli {

void AddQuantizeCommand(Commands& commands) {
  const auto r = std::make_shared<QuantizeRequest>();
  CLI::App* quantize = commands.Add(
      nullptr, "quantize", "store and compute a model in 8 or 4 bits, and say what it costs",
      "ferry quantize model.onnx -o model.fm --type int8 --data samples/",
      [r](const GlobalOptions& global) { return QuantizeModel(*r, global.json); });
  quantize->add_option("model", r->file, ".onnx")->required();
  quantize->add_option("-o,--out", r->out, "the file to write")->required();
  quantize->add_option("--type", r->type, "int8, int8-dynamic, weight8, weight4, f16, bf16")
      ->capture_default_str();
  quantize
      ->add_option(
          "--to", r->to,
          "fm: Ferry's model file; qdq-onnx: an ONNX file; by default what the name of the "
          "file to write says (.onnx, else fm)")
      ->check(CLI::IsMember({"fm", "qdq-onnx"}));
  quantize->add_option("--data", r->data,
                       "samples: a folder of .npy or .npz files, FILE.npz with arrays named as "
                       "inputs, NAME=FILE.npy, or random:N");
  quantize->add_option("--samples", r->samples, "most samples to take")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}))
      ->capture_default_str();
  quantize->add_option("--shape", r->shapes, "NAME=1x3x224x224 of an input of random:N");
  quantize->add_option("--seed", r->seed, "of random:N")->capture_default_str();
  quantize
      ->add_option("--calibrate", r->calibrate,
                   "ranges of activations: minmax, percentile[:99.99], kl, mse")
      ->capture_default_str();
  quantize->add_option("--activations", r->activations, "u8 or i8")
      ->check(CLI::IsMember({"u8", "i8"}))
      ->capture_default_str();
  quantize->add_flag("--per-tensor", r->per_tensor, "one scale for all weights of a layer");
  quantize->add_option("--block", r->block, "weights of weight8 and weight4 that share a scale")
      ->check(CLI::IsMember({0, 32, 64, 128, 256}));
  quantize->add_flag("--zero-points", r->zero_points, "weights of weight8 and weight4 have them");
  quantize->add_option("--skip", r->skip, "layers that stay float: names, \"*\" matches any text");
  quantize->add_option("--keep-first", r->keep_first, "first layers that stay float")
      ->check(CLI::NonNegativeNumber);
  quantize->add_option("--keep-last", r->keep_last, "last layers that stay float")
      ->check(CLI::NonNegativeNumber);
  quantize->add_flag("--no-bias-correction", r->no_bias_correction,
                     "leave what rounding does to means");
  quantize->add_flag("--no-equalize", r->no_equalize,
                     "leave the ranges of channels between convolutions as they are");
  quantize->add_flag("--auto", r->automatic, "hold --max-error (0.1 unless given)");
  quantize
      ->add_option("--max-error", r->max_error,
                   "bound on the relative error of the outputs: layers that hurt take a finer "
                   "form or stay float")
      ->check(CLI::PositiveNumber);
  quantize->add_flag("--sensitivity", r->sensitivity, "report what each layer alone does");
  quantize->add_option("--measure", r->measured, "samples to measure errors on")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
}

}  // namespace ferry::cli
